import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router';

import { coreApi } from '@/api';
import type { AccountInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';

import { accountAddress } from './address';

const SHOWN = 50;
/** Where addresses that people kept name an account. */
const FORMER = 'account';

/** The search is in the address; each account has its page. */
export function Accounts() {
  const [params] = useSearchParams();
  const former = params.get(FORMER);
  return former ? <Navigate to={accountAddress(former)} replace /> : <Found />;
}

function Found() {
  const { t } = useTranslation('Admin');
  const state = useListState();
  const query = coreApi.useCoreGetAccountsQuery({ name: state.search || null, limit: SHOWN });
  return (
    <List<AccountInfoData>
      label={t('accounts')}
      query={query}
      rows={query.data}
      state={state}
      search={t('search')}
      columns={useColumns()}
      rowKey={({ accountId }) => String(accountId)}
      rowName={({ shortName }) => shortName}
      to={({ accountId }) => accountAddress(accountId)}
      empty={{ title: t('none'), hint: t('noneHint') }}
    />
  );
}

function useColumns(): Column<AccountInfoData>[] {
  const { t } = useTranslation('Admin');
  return [
    { name: 'shortName', label: t('name'), cell: ({ shortName }) => shortName },
    { name: 'displayName', label: t('displayName'), cell: ({ displayName }) => displayName },
    { name: 'email', label: t('email'), cell: ({ email }) => email },
    { name: 'id', label: t('id'), numeric: true, width: 140, cell: ({ accountId }) => accountId },
  ];
}
