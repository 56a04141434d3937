import { Badge, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { Belonging, ImageInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Deletion } from '@/components/Deletion';
import type { Column } from '@/components/list/columns';
import { ListPage } from '@/components/list/ListPage';
import { RowAction } from '@/components/list/RowAction';
import { useListState } from '@/components/list/useListState';
import { ImageForm } from '@/features/images/ImageForm';
import { ImageUsage } from '@/features/images/ImageUsage';
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
  const [edited, setEdited] = useState<ImageInfoData | 'new' | null>(null);
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
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
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
      canOpen={isOwn}
      onOpen={setEdited}
      empty={{
        title: t('none'),
        hint: t('noneHint'),
        action: (
          <Button variant="light" onClick={() => setEdited('new')}>
            {t('first')}
          </Button>
        ),
        code: 'docker push registry.example.org/model:1',
      }}
    >
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        size="lg"
        title={edited === 'new' || !edited ? t('create') : edited.name}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {edited && (
          <Stack gap="lg">
            <ImageForm account={account} image={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
            {edited !== 'new' && <ImageUsage account={account} imageId={edited.id.imageId} />}
          </Stack>
        )}
      </Modal>
      <DeleteImage account={account} image={doomed} onClose={() => setDoomed(null)} />
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
      cell: ({ image }) => (
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{image}</Code>
          <Copy value={image} />
        </Group>
      ),
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

function DeleteImage({
  account,
  image,
  onClose,
}: {
  account: string;
  image: ImageInfoData | null;
  onClose: () => void;
}) {
  const { t } = useTranslation('Images');
  const [remove] = coreApi.useCoreDeleteImageMutation();
  return (
    <Deletion
      opened={image !== null}
      title={t('deleteTitle', { name: image?.name ?? '' })}
      account={account}
      remove={() => remove({ account, imageId: image?.id.imageId ?? 0 })}
      onClose={onClose}
    >
      {t('deleteHint')}
    </Deletion>
  );
}
