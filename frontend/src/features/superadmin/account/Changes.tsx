import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { AccountChangeData, ValueChange } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';
import { formatNumber } from '@/lib/format/number';
import { useRightName } from '@/lib/rights';

import { NOBODY } from './useUserName';

const SIZE = 20;
/** The page has another list. */
const LIST = { scope: 'changes' };

/** Who changed limits, features and networks of an account, from what to what, and why, the newest first. */
export function Changes({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  const state = useListState(LIST);
  const query = coreApi.useCoreGetAccountChangesQuery(
    { account: String(accountId), page: state.page - 1, size: SIZE, sort: 'id,desc' },
    { refetchOnMountOrArgChange: true },
  );
  return (
    <List<AccountChangeData>
      label={t('changes')}
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      columns={useColumns()}
      rowKey={({ id }) => String(id)}
      rowName={({ kind }) => t(`changeKind.${kind}`)}
      empty={{ title: t('noChanges'), hint: t('noChangesHint') }}
    />
  );
}

function useColumns(): Column<AccountChangeData>[] {
  const { t } = useTranslation('Admin');
  return [
    {
      name: 'change',
      label: t('change'),
      cell: ({ kind }) => t(`changeKind.${kind}`),
      note: (change) => <Values change={change} />,
    },
    {
      name: 'reason',
      label: t('reason'),
      cell: ({ reason }) => (
        <Text span inherit style={{ overflowWrap: 'anywhere' }}>
          {reason ?? NOBODY}
        </Text>
      ),
    },
    { name: 'by', label: t('by'), width: 220, cell: ({ actorLogin }) => actorLogin ?? t('setup') },
    { name: 'when', label: t('when'), width: 150, cell: ({ occurredAt }) => <When at={occurredAt} /> },
  ];
}

/** Each limit or feature, or the networks, from what to what. */
function Values({ change: { kind, details } }: { change: AccountChangeData }) {
  const { t } = useTranslation('Admin');
  const { t: account, i18n } = useTranslation('Account');
  const named = useRightName();
  const nameOf = (name: string) => {
    if (kind === 'NETWORKS_CHANGED') return t('networks');
    if (kind === 'FEATURES_CHANGED') return named(name);
    return i18n.exists(`Account:limit.${name}`) ? account(`limit.${name}`) : name;
  };
  const shown = (value: ValueChange['before']) => {
    if (typeof value === 'boolean') return t(`switched.${value ? 'on' : 'off'}`);
    if (kind === 'NETWORKS_CHANGED' && value === '') return t('anyNetwork');
    return typeof value === 'number' ? formatNumber(value, i18n.language) : value;
  };
  return Object.entries(details).map(([name, { before, after }]) => (
    <Text key={name} span inherit display="block" style={{ overflowWrap: 'anywhere' }}>
      {`${nameOf(name)}: ${shown(before)} → ${shown(after)}`}
    </Text>
  ));
}
