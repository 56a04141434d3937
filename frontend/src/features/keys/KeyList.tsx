import { Box, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import type { ListQuery } from '@/components/list/List';
import { ListPage } from '@/components/list/ListPage';
import { KEY_VARIABLE } from '@/lib/predict/snippets';

import { FirstUse } from './FirstUse';
import { Actions } from './keyParts';
import { useKeyTable } from './useKeyTable';

/** What a key is for, before there is one. */
const CALLS = { permissions: ['predict' as const], allowedServices: null, allowedOrigins: [] };

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
  const { part, columns, ...table } = useKeyTable(account, keys, now);
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
      {...table}
      columns={useColumns(columns, { onEdit, onRevoke: (key) => onRevoke([key]) })}
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

function useColumns(
  columns: readonly Column<AccessTokenData>[],
  handlers: { onEdit: (key: AccessTokenData) => void; onRevoke: (key: AccessTokenData) => void },
): Column<AccessTokenData>[] {
  const { t } = useTranslation('Keys');
  return [
    ...columns,
    {
      name: 'actions',
      label: t('actions'),
      cell: (key) => <Actions data={key} {...handlers} />,
      width: 84,
      actions: true,
    },
  ];
}
