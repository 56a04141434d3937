import { Drawer } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { AccountInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';
import { useDrafts } from '@/components/settings/drafts';
import { SaveScope } from '@/components/settings/SaveScope';
import { useAddressParams } from '@/lib/useAddressParams';

import { AccountPanel } from './AccountPanel';

const SHOWN = 50;
const OPENED = 'account';

export function Accounts() {
  return (
    <SaveScope withBar={false}>
      <Found />
    </SaveScope>
  );
}

/** The search and the opened account are in the address. */
function Found() {
  const { t } = useTranslation('Admin');
  const { leave } = useDrafts();
  const state = useListState();
  const [params, setParams] = useAddressParams();
  const opened = Number(params.get(OPENED)) || null;
  const query = coreApi.useCoreGetAccountsQuery({ name: state.search || null, limit: SHOWN });
  const open = (accountId: number | null) =>
    setParams((now) => {
      const changed = new URLSearchParams(now);
      if (accountId === null) changed.delete(OPENED);
      else changed.set(OPENED, String(accountId));
      return changed;
    });
  return (
    <>
      <List<AccountInfoData>
        label={t('accounts')}
        query={query}
        rows={query.data}
        state={state}
        search={t('search')}
        columns={useColumns()}
        rowKey={({ accountId }) => String(accountId)}
        rowName={({ shortName }) => shortName}
        onOpen={({ accountId }) => open(accountId)}
        empty={{ title: t('none'), hint: t('noneHint') }}
      />
      <Drawer opened={opened !== null} onClose={() => leave(() => open(null))} position="right" size="lg" title={nameOf(query.data, opened)} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {opened !== null && <AccountPanel accountId={opened} />}
      </Drawer>
    </>
  );
}

function nameOf(accounts: readonly AccountInfoData[] | undefined, id: number | null): string {
  return accounts?.find(({ accountId }) => accountId === id)?.shortName ?? String(id ?? '');
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
