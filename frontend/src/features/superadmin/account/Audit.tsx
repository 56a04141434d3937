import { Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { AuditRecord, SecurityEvent } from '@/api/generated/accounts.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';

import { Changes } from './Changes';
import { NOBODY, useUserName } from './useUserName';

const SIZE = 50;
/** What is recorded of accounts; all other events are of users alone. */
const KINDS: SecurityEvent[] = [
  'ACCOUNT_CREATED',
  'ACCOUNT_CHANGED',
  'MEMBERSHIP_CHANGED',
  'INVITATION_CREATED',
  'INVITATION_WITHDRAWN',
  'INVITATION_ACCEPTED',
  'INVITATION_DECLINED',
];
const LIST = { filters: { kind: KINDS } };

/** Who changed what of an account, and why, the newest first: accountsadmin records one part, mlpcore the other. */
export function Audit({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  return (
    <Stack gap={40}>
      <Stack gap="sm" component="section" aria-label={t('accountEvents')}>
        <Title order={2} size="h3">
          {t('accountEvents')}
        </Title>
        <Events accountId={accountId} />
      </Stack>
      <Stack gap="sm" component="section" aria-label={t('changes')}>
        <Title order={2} size="h3">
          {t('changes')}
        </Title>
        <Changes accountId={accountId} />
      </Stack>
    </Stack>
  );
}

function Events({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  const state = useListState(LIST);
  const kind = KINDS.find((one) => one === state.filters.kind) ?? null;
  const query = accountsApi.useAccountsListAuditQuery(
    { accountId, kind, page: state.page - 1, size: SIZE, sort: 'id,desc' },
    { refetchOnMountOrArgChange: true },
  );
  return (
    <List<AuditRecord, 'kind'>
      label={t('accountEvents')}
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      filters={[
        { name: 'kind', label: t('event'), options: KINDS.map((value) => ({ value, label: t(`events.${value}`) })) },
      ]}
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
    {
      name: 'event',
      label: t('event'),
      cell: ({ kind }) => t(`events.${kind}`),
      note: (record) => <Details record={record} />,
    },
    { name: 'by', label: t('by'), width: 220, cell: ({ actorUserId }) => nameOf(actorUserId) },
    { name: 'whom', label: t('whom'), width: 220, cell: ({ login, userId }) => login ?? nameOf(userId) },
    {
      name: 'address',
      label: t('address'),
      width: 150,
      from: 'md',
      inCards: true,
      cell: ({ address }) => (
        <Text span inherit ff="monospace">
          {address || NOBODY}
        </Text>
      ),
    },
    { name: 'when', label: t('when'), width: 150, cell: ({ occurredAt }) => <When at={occurredAt} /> },
  ];
}

/** What the record says besides, by the names that the server gives it, and the reason on a line of its own: an owner
 *  chooses other values, and could write one that looks like a reason. */
function Details({ record: { details } }: { record: AuditRecord }) {
  const { t } = useTranslation('Admin');
  const { reason, ...others } = details;
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0 && !reason) return null;
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      {lines.join(', ')}
      {reason && (
        <Text span inherit display="block" c="var(--mantine-color-text)">
          {t('because', { reason })}
        </Text>
      )}
    </span>
  );
}
