import { accountsApi } from '@/api';
import type { AllowedAccount, DomainOption, UserData } from '@/api/generated/accounts.gen';

import type { SignedIn } from './session';

export function domainOf(domains: readonly DomainOption[], hostname: string): DomainOption | null {
  const host = hostname.toLowerCase();
  return domains.find(({ domain }) => domain.toLowerCase() === host) ?? null;
}

export interface CheckFacts {
  user: Pick<UserData, 'internal' | 'accountId' | 'accountOwner'>;
  domain: DomainOption | null;
  accounts: readonly AllowedAccount[];
}

/** May one work here as one is, or must an account be selected first? The server asks the same at every call. */
export function mayWork({ user, domain, accounts }: CheckFacts): boolean {
  if (user.internal && domain?.internalUserUiAvailable) return true;
  const selected = accounts.find(({ id }) => id === user.accountId);
  if (!selected?.availableToSelect) return false;
  return user.accountOwner || !domain?.ownerOnly;
}

export type AccountCheck = 'asking' | 'passed' | 'select';

/** `passed` also while the server cannot say: it re-authorises each call anyway, and a page shows what it refuses. */
export function useAccountCheck({ user }: SignedIn, hostname: string = window.location.hostname): AccountCheck {
  const options = accountsApi.useAccountsGetPublicOptionsQuery();
  const domain = domainOf(options.data?.domains ?? [], hostname);
  const accounts = accountsApi.useAccountsListAllowedAccountsQuery({ userId: user.userId, product: domain?.product ?? null }, { skip: options.isLoading });
  if (user.accountId === null && !user.internal) return 'select';
  if (options.isLoading || accounts.isLoading || accounts.isUninitialized) return 'asking';
  if (options.isError || accounts.isError) return 'passed';
  return mayWork({ user, domain, accounts: accounts.data ?? [] }) ? 'passed' : 'select';
}
