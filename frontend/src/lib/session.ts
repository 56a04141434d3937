import { asProblem, firstApi } from '@/api/first';
import { consequenceOf } from './refusals';
import type { UserData } from '@/api/first/generated/accounts.gen';

const SUPERADMIN = 'accounts_admin_write';

export interface SignedIn {
  state: 'signed-in';
  user: UserData;
  accountId: number | null;
  isSuperadmin: boolean;
  /** Names of features are compared without regard to case. */
  has: (feature: string) => boolean;
}

export type Session =
  | { state: 'loading' }
  | { state: 'anonymous' }
  | { state: 'broken'; requestId: string | null }
  | SignedIn;

/** A superadmin has the permission, in any case, and an account. */
export function isSuperadmin(user: Pick<UserData, 'permissions' | 'accountId'>): boolean {
  return user.accountId !== null && user.permissions.some((permission) => permission.toLowerCase() === SUPERADMIN);
}

/** The current user. A visitor is a valid result: the catalogue is public. */
export function useSession(): Session {
  const { data, error, isLoading } = firstApi.useAccountsGetSessionQuery();
  const problem = asProblem(error);
  // Each component that appears asks again after an error. The earlier answer holds meanwhile, or pages would come and go.
  if (isLoading && !problem) return { state: 'loading' };
  // The browser is going to the page that selects an account.
  if (problem && consequenceOf(problem) === 'select-account') return { state: 'loading' };
  if (problem && problem.status !== 401 && problem.status !== 403 && !data) {
    return { state: 'broken', requestId: problem.requestId };
  }
  const user = data?.user;
  if (problem || !user) return { state: 'anonymous' };
  const features = new Set(user.features.map((feature) => feature.toLowerCase()));
  return {
    state: 'signed-in',
    user,
    accountId: user.accountId,
    isSuperadmin: isSuperadmin(user),
    has: (feature) => features.has(feature.toLowerCase()),
  };
}

/** The session of a page that needs a selected account; throws without one. */
export function useMember(): { user: UserData; accountId: number; account: string } {
  const session = useSession();
  if (session.state !== 'signed-in' || session.accountId === null) throw new Error('this page needs an account');
  return { user: session.user, accountId: session.accountId, account: String(session.accountId) };
}

export function useSettings() {
  return firstApi.useCoreGetFrontendSettingsQuery();
}
