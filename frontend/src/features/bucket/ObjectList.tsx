import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { List, type ListProps } from '@/components/list/List';

import { DeleteObjects } from './DeleteObjects';
import { type Row, rowKey } from './objects';
import { searchOf } from './paths';
import { useObjectColumns } from './useObjectColumns';
import type { Place } from './usePlace';

interface Props {
  account: string;
  query: ListProps<Row>['query'];
  rows: readonly Row[] | undefined;
  place: Place;
  writable: boolean;
  empty: ListProps<Row>['empty'];
  /** Null if there are no more. */
  onMore: (() => void) | null;
  loadingMore: boolean;
}

/** Folders and objects at a place of the bucket. */
export function ObjectList({ account, query, rows, place, writable, empty, onMore, loadingMore }: Props) {
  const { t } = useTranslation('Bucket');
  const [doomed, setDoomed] = useState<readonly Row[]>([]);
  // What was deleted is not listed any more, and so not selected; what was not deleted stays selected.
  const ask = (chosen: readonly Row[]) => {
    setDoomed(chosen);
    return false;
  };
  return (
    <>
      <List<Row>
        label={t('objects')}
        query={query}
        rows={rows}
        state={place.state}
        search={t('begins')}
        columns={useObjectColumns({ account, onDelete: writable ? (row) => setDoomed([row]) : null })}
        rowKey={rowKey}
        rowName={({ name }) => name}
        to={(row) => (row.kind === 'folder' ? searchOf(row.prefix) : null)}
        empty={empty}
        {...(writable && { bulk: [{ label: t('App:delete'), danger: true, run: ask }] })}
      />
      {onMore && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={loadingMore} onClick={onMore}>
            {t('more')}
          </Button>
        </Group>
      )}
      <DeleteObjects account={account} rows={doomed} onClose={() => setDoomed([])} />
    </>
  );
}
