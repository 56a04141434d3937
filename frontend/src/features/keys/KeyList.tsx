import { Box, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import type { ListQuery } from '@/components/list/List';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { KEY_VARIABLE } from '@/lib/predict/snippets';

import { FirstUse } from './FirstUse';
import classes from './keyParts.module.css';
import { Actions, Expires, Limits, Permissions, Services } from './keyParts';

/** With fewer keys no search is needed. */
const SEARCHED_FROM = 10;
const NEWEST_FIRST = { fields: ['name', 'created', 'expires'], initial: { field: 'created', descending: true } };
const NEVER = '9999';
/** What a key is for, before there is one. */
const CALLS = { permissions: ['predict' as const], allowedServices: null, allowedOrigins: [] };
const HOW = {
  text: ({ name }: AccessTokenData) => name,
  orders: {
    name: (one: AccessTokenData, other: AccessTokenData) => one.name.localeCompare(other.name),
    created: (one: AccessTokenData, other: AccessTokenData) => one.creationDate.localeCompare(other.creationDate),
    expires: (one: AccessTokenData, other: AccessTokenData) => (one.expiresAt ?? NEVER).localeCompare(other.expiresAt ?? NEVER),
  },
};

interface Props {
  account: string;
  keys: readonly AccessTokenData[] | undefined;
  query: ListQuery;
  /** When the list was opened, in milliseconds. */
  now: number;
  onCreate: () => void;
  onEdit: (key: AccessTokenData) => void;
  onRevoke: (keys: readonly AccessTokenData[]) => void;
  notice?: ReactNode;
  children?: ReactNode;
}

/** The server sends all keys; the list shows them in pages. */
export function KeyList({ account, keys, query, now, onCreate, onEdit, onRevoke, notice, children }: Props) {
  const { t } = useTranslation('Keys');
  const state = useListState({ sort: NEWEST_FIRST });
  const part = keys && listPart(keys, state, HOW);
  const searched = state.search !== '' || (keys?.length ?? 0) >= SEARCHED_FROM;
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onCreate}>
          {t('create')}
        </Button>
      }
      notice={notice}
      query={query}
      {...part}
      rows={part?.rows}
      state={state}
      search={searched ? t('Catalog:search') : undefined}
      columns={useColumns(account, now, { onEdit, onRevoke: (key) => onRevoke([key]) })}
      rowKey={({ token }) => token}
      rowName={({ name }) => name}
      onOpen={onEdit}
      bulk={[{ label: t('revoke'), danger: true, run: (chosen) => (onRevoke(chosen), false) }]}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <>
            <Button variant="light" onClick={onCreate}>
              {t('first')}
            </Button>
            <Box maw="100%" w={560} ta="left" mt="xs">
              <FirstUse account={account} token={KEY_VARIABLE} rights={CALLS} />
            </Box>
          </>
        ),
      }}
    >
      {children}
    </ListPage>
  );
}

function useColumns(account: string, now: number, handlers: { onEdit: (key: AccessTokenData) => void; onRevoke: (key: AccessTokenData) => void }): Column<AccessTokenData>[] {
  const { t } = useTranslation('Keys');
  return [
    { name: 'name', label: t('name'), cell: ({ name }) => name, note: ({ token }) => <span className={classes.mask}>{token.replace(/\*+/, '…')}</span>, sortable: true },
    { name: 'permissions', label: t('permissions'), cell: (key) => <Permissions data={key} />, width: 130 },
    { name: 'services', label: t('services'), cell: (key) => <Services data={key} account={account} />, width: 140, from: 'lg', inCards: true },
    { name: 'limits', label: t('limits'), cell: (key) => <Limits data={key} />, width: 160 },
    { name: 'created', label: t('createdAt'), cell: ({ creationDate }) => <When at={creationDate} />, sortable: true, width: 120, from: 'lg' },
    { name: 'expires', label: t('expires'), cell: ({ expiresAt }) => <Expires expiresAt={expiresAt} now={now} />, sortable: true, width: 130 },
    { name: 'actions', label: t('actions'), cell: (key) => <Actions data={key} {...handlers} />, width: 84, actions: true },
  ];
}
