import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useSession } from '@/lib/session';

export const NOBODY = '–';

/** Users of the account and oneself by their login, others by their number. Null: nobody was signed in. */
export function useUserName(accountId: number): (user: number | null) => string {
  const { t } = useTranslation('Admin');
  const session = useSession();
  const { data: members = [] } = accountsApi.useAccountsListMembersQuery({ account: String(accountId) });
  const known = new Map(members.map(({ userId, login }) => [userId, login]));
  if (session.state === 'signed-in') known.set(session.user.userId, session.user.login);
  return (user) => (user === null ? NOBODY : (known.get(user) ?? t('userNumber', { id: user })));
}
