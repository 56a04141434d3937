import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { AuditRecord, SecurityEvent } from '@/api/generated/accounts.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';

const SIZE = 50;
/** What is recorded of accounts; all other events are of users alone. */
const KINDS: SecurityEvent[] = ['ACCOUNT_CREATED', 'ACCOUNT_CHANGED', 'MEMBERSHIP_CHANGED', 'INVITATION_CREATED', 'INVITATION_WITHDRAWN', 'INVITATION_ACCEPTED', 'INVITATION_DECLINED'];
const LIST = { filters: { kind: KINDS } };

/** Who changed what of an account and its people, the newest first. */
export function Audit({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  const state = useListState(LIST);
  const kind = KINDS.find((one) => one === state.filters.kind) ?? null;
  const query = accountsApi.useAccountsListAuditQuery({ accountId, kind, page: state.page - 1, size: SIZE, sort: 'id,desc' }, { refetchOnMountOrArgChange: true });
  return (
    <List<AuditRecord, 'kind'>
      label={t('tab.audit')}
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      filters={[{ name: 'kind', label: t('event'), options: KINDS.map((value) => ({ value, label: t(`events.${value}`) })) }]}
      columns={useColumns(accountId)}
      rowKey={({ id }) => String(id)}
      rowName={(record) => t(`events.${record.kind}`)}
      empty={{ title: t('noEvents'), hint: t('noEventsHint') }}
    />
  );
}

function useColumns(accountId: number): Column<AuditRecord>[] {
  const { t } = useTranslation('Admin');
  const nameOf = useUserName(accountId);
  return [
    { name: 'event', label: t('event'), cell: ({ kind }) => t(`events.${kind}`), note: (record) => <Details record={record} /> },
    { name: 'by', label: t('by'), width: 220, cell: ({ actorUserId }) => nameOf(actorUserId) },
    { name: 'whom', label: t('whom'), width: 220, cell: ({ login, userId }) => login ?? nameOf(userId) },
    { name: 'address', label: t('address'), width: 150, from: 'md', inCards: true, cell: ({ address }) => <Text span inherit ff="monospace">{address || NOBODY}</Text> },
    { name: 'when', label: t('when'), width: 150, cell: ({ occurredAt }) => <When at={occurredAt} /> },
  ];
}

const NOBODY = '–';

/** Users of the account by their login, others by their number. Null: nobody was signed in. */
function useUserName(accountId: number): (user: number | null) => string {
  const { t } = useTranslation('Admin');
  const { data: members = [] } = accountsApi.useAccountsListMembersQuery({ account: String(accountId) });
  return (user) => (user === null ? NOBODY : (members.find(({ userId }) => userId === user)?.login ?? t('userNumber', { id: user })));
}

/** What the record says besides, by the names that the server gives it. */
function Details({ record: { details } }: { record: AuditRecord }) {
  const lines = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return lines.length > 0 && <span style={{ overflowWrap: 'anywhere' }}>{lines.join(', ')}</span>;
}
