import { firstApi } from '@/api/first';
import type { AllowedAccount, DomainOption, UserData } from '@/api/first/generated/accounts.gen';

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

/** Whether the user can work with the present account or must select one first. The server checks it at every call. */
export function mayWork({ user, domain, accounts }: CheckFacts): boolean {
  if (user.internal && domain?.internalUserUiAvailable) return true;
  const selected = accounts.find(({ id }) => id === user.accountId);
  if (!selected?.availableToSelect) return false;
  return user.accountOwner || !domain?.ownerOnly;
}

export type AccountCheck = 'asking' | 'passed' | 'select';

/** Also `passed` if the server cannot answer: it authorises each call anyway, and pages show refusals. */
export function useAccountCheck({ user }: SignedIn, hostname: string = window.location.hostname): AccountCheck {
  const options = firstApi.useAccountsGetPublicOptionsQuery();
  const domain = domainOf(options.data?.domains ?? [], hostname);
  const accounts = firstApi.useAccountsListAllowedAccountsQuery(
    { userId: user.userId, product: domain?.product ?? null },
    { skip: options.isLoading },
  );
  if (user.accountId === null && !user.internal) return 'select';
  if (options.isLoading || accounts.isLoading || accounts.isUninitialized) return 'asking';
  if (options.isError || accounts.isError) return 'passed';
  return mayWork({ user, domain, accounts: accounts.data ?? [] }) ? 'passed' : 'select';
}
