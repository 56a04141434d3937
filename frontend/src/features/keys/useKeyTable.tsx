import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';

import classes from './keyParts.module.css';
import { Expires, Limits, Permissions, Services } from './keyParts';

/** With fewer keys no search is needed. */
const SEARCHED_FROM = 10;
const NEWEST_FIRST = { fields: ['name', 'created', 'expires'], initial: { field: 'created', descending: true } };
const NEVER = '9999';
const HOW = {
  text: ({ name }: AccessTokenData) => name,
  orders: {
    name: (one: AccessTokenData, other: AccessTokenData) => one.name.localeCompare(other.name),
    created: (one: AccessTokenData, other: AccessTokenData) => one.creationDate.localeCompare(other.creationDate),
    expires: (one: AccessTokenData, other: AccessTokenData) =>
      (one.expiresAt ?? NEVER).localeCompare(other.expiresAt ?? NEVER),
  },
};

/** Keys as rows, with what each may do. The server sends all keys of an account, masked; the list shows them in pages. `now`: in milliseconds. */
export function useKeyTable(account: string, keys: readonly AccessTokenData[] | undefined, now: number) {
  const { t } = useTranslation('Keys');
  const state = useListState({ sort: NEWEST_FIRST });
  const searched = state.search !== '' || (keys?.length ?? 0) >= SEARCHED_FROM;
  return {
    part: keys && listPart(keys, state, HOW),
    state,
    search: searched ? t('Catalog:search') : undefined,
    columns: useColumns(account, now),
    rowKey: ({ token }: AccessTokenData) => token,
    rowName: ({ name }: AccessTokenData) => name,
  };
}

function useColumns(account: string, now: number): Column<AccessTokenData>[] {
  const { t } = useTranslation('Keys');
  return [
    {
      name: 'name',
      label: t('name'),
      cell: ({ name }) => name,
      note: ({ token }) => <span className={classes.mask}>{token.replace(/\*+/, '…')}</span>,
      sortable: true,
    },
    { name: 'permissions', label: t('permissions'), cell: (key) => <Permissions data={key} />, width: 130 },
    {
      name: 'services',
      label: t('services'),
      cell: (key) => <Services data={key} account={account} />,
      width: 140,
      from: 'lg',
      inCards: true,
    },
    { name: 'limits', label: t('limits'), cell: (key) => <Limits data={key} />, width: 160 },
    {
      name: 'created',
      label: t('createdAt'),
      cell: ({ creationDate }) => <When at={creationDate} />,
      sortable: true,
      width: 120,
      from: 'lg',
    },
    {
      name: 'expires',
      label: t('expires'),
      cell: ({ expiresAt }) => <Expires expiresAt={expiresAt} now={now} />,
      sortable: true,
      width: 130,
    },
  ];
}
