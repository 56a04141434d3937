import { Badge, Button, Modal } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { coreApi } from '@/api';
import type { Belonging, ImageInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { ListPage } from '@/components/list/ListPage';
import { RowAction } from '@/components/list/RowAction';
import { useListState } from '@/components/list/useListState';
import { DeleteImage } from '@/features/images/DeleteImage';
import { ImageAddress } from '@/features/images/ImageAddress';
import { ImageForm } from '@/features/images/ImageForm';
import { pathOf } from '@/features/images/paths';
import { useMember } from '@/lib/session';

/** Not set: one's own. */
const BELONGINGS = [
  'MINE_PRIVATE',
  'MINE_PUBLIC',
  'MINE_RESTRICTED',
  'NOT_MINE',
  'ALL',
] as const satisfies readonly Belonging[];
const FILTERS = { belonging: BELONGINGS };
const PAGE_SIZE = 50;

/** Container images that services run. */
export function ImagesPage() {
  const { t } = useTranslation('Images');
  const { account } = useMember();
  const state = useListState({ filters: FILTERS });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const [doomed, setDoomed] = useState<ImageInfoData | null>(null);
  const belonging = BELONGINGS.find((known) => known === state.filters.belonging) ?? 'MINE';
  const query = coreApi.useCoreGetPagedImagesV2Query({
    account,
    name: state.search || null,
    belonging,
    page: state.page - 1,
    size: PAGE_SIZE,
  });
  const isOwn = ({ id }: ImageInfoData) => String(id.accountId) === account;
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
      columns={useColumns(isOwn, setDoomed)}
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
        code: 'docker push registry.example.org/model:1',
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
        {creating && <ImageForm account={account} image={null} onDone={(made) => void navigate(pathOf(made))} />}
      </Modal>
      {doomed && (
        <DeleteImage
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
  isOwn: (image: ImageInfoData) => boolean,
  onDelete: (image: ImageInfoData) => void,
): Column<ImageInfoData>[] {
  const { t } = useTranslation('Images');
  return [
    { name: 'name', label: t('name'), width: '30%', cell: ({ name }) => name },
    {
      name: 'image',
      label: t('image'),
      cell: ({ image }) => <ImageAddress image={image} />,
    },
    {
      name: 'access',
      label: t('access'),
      width: 180,
      cell: ({ accessMode }) => <Badge variant="default">{t(`mode.${accessMode}`)}</Badge>,
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
