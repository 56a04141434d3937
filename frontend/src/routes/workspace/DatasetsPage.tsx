import { Badge, Button, Group, Modal } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { coreApi } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { ListPage } from '@/components/list/ListPage';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { DatasetForm } from '@/features/datasets/DatasetForm';
import { DatasetStorage } from '@/features/datasets/DatasetStorage';
import { formatBytes } from '@/lib/format/bytes';
import { useMember } from '@/lib/session';

const SORT = { fields: ['name', 'type', 'size', 'changed'], initial: { field: 'changed', descending: true } };
const HOW = {
  text: ({ name, description }: DatasetInfoData) => `${name} ${description ?? ''}`,
  orders: {
    name: (one: DatasetInfoData, other: DatasetInfoData) => one.name.localeCompare(other.name),
    type: (one: DatasetInfoData, other: DatasetInfoData) => one.dataType.localeCompare(other.dataType),
    size: (one: DatasetInfoData, other: DatasetInfoData) => one.size - other.size,
    changed: (one: DatasetInfoData, other: DatasetInfoData) => one.updatedAt - other.updatedAt,
  },
};

const pathOf = ({ id }: DatasetInfoData, tab = '') => `/workspace/dataset/${id.accountId}/${id.datasetId}${tab}`;

/** Files that services are trained with. */
export function DatasetsPage() {
  const { t } = useTranslation('Datasets');
  const { account } = useMember();
  const navigate = useNavigate();
  const query = coreApi.useCoreListDatasetsQuery({ account });
  const [creating, setCreating] = useState(false);
  const state = useListState({ sort: SORT });
  const part = query.data && listPart(query.data, state, HOW);
  return (
    <ListPage
      title={t('title')}
      subtitle={<DatasetStorage account={account} />}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      }
      query={query}
      {...part}
      rows={part?.rows}
      state={state}
      search={t('Catalog:search')}
      columns={useColumns()}
      rowKey={({ id }) => String(id.datasetId)}
      rowName={({ name }) => name}
      onOpen={(dataset) => void navigate(pathOf(dataset))}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={() => setCreating(true)}>
            {t('first')}
          </Button>
        ),
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
        {creating && (
          <DatasetForm
            account={account}
            dataset={null}
            onDone={(made) => void navigate(pathOf(made, made.size > 0 ? '' : '/edit'))}
          />
        )}
      </Modal>
    </ListPage>
  );
}

function useColumns(): Column<DatasetInfoData>[] {
  const { t } = useTranslation('Datasets');
  return [
    {
      name: 'name',
      label: t('name'),
      sortable: true,
      cell: ({ name }) => name,
      note: ({ warning }) =>
        warning && (
          <Group gap={4} wrap="nowrap" c="var(--mantine-color-yellow-light-color)">
            <IconAlertTriangle size={14} aria-hidden />
            {t('warning')}
          </Group>
        ),
    },
    { name: 'type', label: t('type'), sortable: true, width: 190, cell: ({ dataType }) => dataType },
    {
      name: 'size',
      label: t('size'),
      sortable: true,
      width: 110,
      numeric: true,
      cell: ({ size }) => formatBytes(size),
    },
    {
      name: 'access',
      label: t('access'),
      width: 160,
      cell: ({ accessMode }) => <Badge variant="default">{t(`mode.${accessMode}`)}</Badge>,
    },
    {
      name: 'changed',
      label: t('changed'),
      sortable: true,
      width: 160,
      cell: ({ updatedAt }) => <When at={updatedAt} />,
    },
  ];
}
