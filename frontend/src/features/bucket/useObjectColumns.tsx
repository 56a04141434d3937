import { ActionIcon, Group } from '@mantine/core';
import { IconDownload, IconFile, IconFolder, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { RowAction } from '@/components/list/RowAction';
import { formatBytes } from '@/lib/format/bytes';

import classes from './bucket.module.css';
import type { Row } from './objects';
import { contentPath } from './paths';

interface Facts {
  account: string;
  /** Null if the reader may not delete. */
  onDelete: ((row: Row) => void) | null;
}

export function useObjectColumns({ account, onDelete }: Facts): Column<Row>[] {
  const { t, i18n } = useTranslation('Bucket');
  return [
    { name: 'name', label: t('name'), cell: (row) => <Name row={row} account={account} /> },
    {
      name: 'size',
      label: t('size'),
      width: 110,
      numeric: true,
      cell: (row) => (row.kind === 'object' ? formatBytes(row.size, i18n.language) : null),
    },
    {
      name: 'changed',
      label: t('changed'),
      width: 160,
      cell: (row) => (row.kind === 'object' ? <When at={row.modified} /> : null),
    },
    {
      name: 'actions',
      label: t('actions'),
      width: 90,
      actions: true,
      cell: (row) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {row.kind === 'object' && (
            <ActionIcon
              component="a"
              href={contentPath(account, row.key)}
              download
              variant="subtle"
              color="gray"
              aria-label={t('downloadOf', { name: row.name })}
              title={t('downloadOf', { name: row.name })}
            >
              <IconDownload size={16} aria-hidden />
            </ActionIcon>
          )}
          {onDelete && (
            <RowAction
              label={t(row.kind === 'folder' ? 'deleteFolderOf' : 'deleteOf', { name: row.name })}
              Icon={IconTrash}
              danger
              onClick={() => onDelete(row)}
            />
          )}
        </Group>
      ),
    },
  ];
}

function Name({ row, account }: { row: Row; account: string }) {
  const { t } = useTranslation('Bucket');
  const Icon = row.kind === 'folder' ? IconFolder : IconFile;
  return (
    <span className={classes.entry}>
      <Icon size={16} stroke={1.5} aria-hidden />
      {row.kind === 'folder' ? (
        <span>{row.name || t('nameless')}/</span>
      ) : (
        <a href={contentPath(account, row.key)} download>
          {row.name || t('nameless')}
        </a>
      )}
    </span>
  );
}
