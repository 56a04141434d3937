import { Badge, Button, Code, Modal } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { ListPage } from '@/components/list/ListPage';
import { RowAction } from '@/components/list/RowAction';
import { asText, useListState } from '@/components/list/useListState';
import { DataImageAddress } from '@/features/dataImages/DataImageAddress';
import { DataImageForm } from '@/features/dataImages/DataImageForm';
import { DeleteDataImage } from '@/features/dataImages/DeleteDataImage';
import { pathOf } from '@/features/dataImages/paths';
import { useMember } from '@/lib/session';

/** Not set: one's own. */
const BELONGINGS = ['ALL'] as const;
const FILTERS = { belonging: BELONGINGS };
const SORT = {
  fields: ['name', 'image', 'sourcePath', 'accessMode', 'imageAccountName'],
  initial: { field: 'name', descending: false },
};
const PAGE_SIZE = 50;

/** Images whose files services mount: one's own, and those that other accounts share. */
export function DataImagesPage() {
  const { t } = useTranslation('DataImages');
  const { account } = useMember();
  const navigate = useNavigate();
  const state = useListState({ filters: FILTERS, sort: SORT });
  const [creating, setCreating] = useState(false);
  const [doomed, setDoomed] = useState<DataImageInfoData | null>(null);
  const query = coreApi.useCoreGetPagedDataImagesQuery({
    account,
    name: state.search || null,
    onlyMy: state.filters.belonging !== 'ALL',
    sort: asText(state.sort ?? SORT.initial),
    page: state.page - 1,
    size: PAGE_SIZE,
  });
  const columns = useColumns(({ id }) => String(id.accountId) === account, setDoomed);
  return (
    <ListPage
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      }
      query={query}
      rows={query.data?.records}
      pages={query.data?.paging.totalPages}
      total={query.data?.paging.totalElements}
      state={state}
      search={t('Catalog:search')}
      filters={[
        {
          name: 'belonging',
          label: t('belonging'),
          unset: t('belongings.MINE'),
          options: BELONGINGS.map((value) => ({ value, label: t(`belongings.${value}`) })),
        },
      ]}
      columns={columns}
      rowKey={({ id }) => `${id.accountId}/${id.imageId}`}
      rowName={({ name }) => name}
      to={(image) => pathOf(image)}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={() => setCreating(true)}>
            {t('first')}
          </Button>
        ),
        code: 'docker push registry.example.org/weights:1',
      }}
    >
      <Modal
        opened={creating}
        onClose={() => setCreating(false)}
        size="lg"
        title={t('create')}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {creating && <DataImageForm account={account} image={null} onDone={(made) => void navigate(pathOf(made))} />}
      </Modal>
      {doomed && (
        <DeleteDataImage
          account={account}
          image={doomed}
          opened
          onClose={() => setDoomed(null)}
          onDeleted={() => setDoomed(null)}
        />
      )}
    </ListPage>
  );
}

function useColumns(
  isOwn: (image: DataImageInfoData) => boolean,
  onDelete: (image: DataImageInfoData) => void,
): Column<DataImageInfoData>[] {
  const { t } = useTranslation('DataImages');
  return [
    { name: 'name', label: t('name'), sortable: true, width: '22%', cell: ({ name }) => name },
    { name: 'image', label: t('image'), sortable: true, cell: ({ image }) => <DataImageAddress image={image} /> },
    {
      name: 'sourcePath',
      label: t('sourcePath'),
      sortable: true,
      width: '16%',
      cell: ({ sourcePath }) => <Code style={{ overflowWrap: 'anywhere' }}>{sourcePath}</Code>,
    },
    {
      name: 'accessMode',
      label: t('accessMode'),
      sortable: true,
      width: 150,
      cell: ({ accessMode }) => <Badge variant="default">{t(`mode.${accessMode}`)}</Badge>,
    },
    {
      name: 'imageAccountName',
      label: t('imageAccountName'),
      sortable: true,
      width: 120,
      cell: ({ imageAccountName, id }) => imageAccountName ?? id.accountId,
    },
    {
      name: 'actions',
      label: t('actions'),
      width: 52,
      actions: true,
      cell: (image) =>
        isOwn(image) && (
          <RowAction
            label={t('deleteOf', { name: image.name })}
            Icon={IconTrash}
            danger
            onClick={() => onDelete(image)}
          />
        ),
    },
  ];
}
