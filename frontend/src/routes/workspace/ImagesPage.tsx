import { Anchor, Badge, Box, Button, Code, Group, Modal, Select, Skeleton, Stack, Table } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { Belonging, ImageInfoData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Copy } from '@/components/code/Copy';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { SearchBox } from '@/components/SearchBox';
import { useFilters } from '@/features/catalogue/useModels';
import { ImageForm } from '@/features/images/ImageForm';
import { ImageUsage } from '@/features/images/ImageUsage';
import { useMember } from '@/lib/session';

const BELONGINGS: Belonging[] = ['MINE', 'MINE_PRIVATE', 'MINE_PUBLIC', 'MINE_RESTRICTED', 'NOT_MINE', 'ALL'];
const PAGE_SIZE = 50;

/** Container images that services run. */
export function ImagesPage() {
  const { t } = useTranslation('Images');
  const { account } = useMember();
  const [filters, change] = useFilters();
  const [belonging, setBelonging] = useState<Belonging>('MINE');
  const [edited, setEdited] = useState<ImageInfoData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<ImageInfoData | null>(null);
  const { data, error, refetch } = coreApi.useCoreGetPagedImagesV2Query({ account, name: filters.search || null, belonging, page: filters.page - 1, size: PAGE_SIZE });
  const problem = asProblem(error);
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      action={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('create')}
        </Button>
      }
    >
      <Group gap="xs">
        <Box flex={1} miw={220}>
          <SearchBox search={filters.search} onChange={change} />
        </Box>
        <Select
          aria-label={t('belonging')}
          allowDeselect={false}
          data={BELONGINGS.map((value) => ({ value, label: t(`belongings.${value}`) }))}
          value={belonging}
          onChange={(value) => {
            setBelonging(BELONGINGS.find((known) => known === value) ?? 'MINE');
            change('page', null);
          }}
        />
      </Group>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !data && <Skeleton h={320} />}
      {data?.records.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data && data.records.length > 0 && <ImageTable account={account} images={data.records} onEdit={setEdited} onDelete={setDoomed} />}
      {data && <Pager page={filters.page} pages={data.paging.totalPages} onPage={(page) => change('page', page > 1 ? String(page) : null)} />}
      <Modal opened={edited !== null} onClose={() => setEdited(null)} size="lg" title={edited === 'new' || !edited ? t('create') : edited.name} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {edited && (
          <Stack gap="lg">
            <ImageForm account={account} image={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
            {edited !== 'new' && <ImageUsage account={account} imageId={edited.id.imageId} />}
          </Stack>
        )}
      </Modal>
      <DeleteImage account={account} image={doomed} onClose={() => setDoomed(null)} />
    </Page>
  );
}

interface TableProps {
  account: string;
  images: ImageInfoData[];
  onEdit: (image: ImageInfoData) => void;
  onDelete: (image: ImageInfoData) => void;
}

function ImageTable({ account, images, onEdit, onDelete }: TableProps) {
  const { t } = useTranslation('Images');
  return (
    <Table.ScrollContainer minWidth={680}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('name')}</Table.Th>
            <Table.Th>{t('image')}</Table.Th>
            <Table.Th>{t('access')}</Table.Th>
            <Table.Th aria-label={t('actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {images.map((image) => {
            const own = String(image.id.accountId) === account;
            return (
              <Table.Tr key={`${image.id.accountId}/${image.id.imageId}`}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {own ? (
                    <Anchor component="button" ta="left" fw={500} onClick={() => onEdit(image)}>
                      {image.name}
                    </Anchor>
                  ) : (
                    image.name
                  )}
                </Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Code style={{ overflowWrap: 'anywhere' }}>{image.image}</Code>
                    <Copy value={image.image} />
                  </Group>
                </Table.Td>
                <Table.Td>
                  <Badge variant="default" tt="none" fw={500}>
                    {t(`mode.${image.accessMode}`)}
                  </Badge>
                </Table.Td>
                <Table.Td ta="right">
                  {own && (
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => onDelete(image)} aria-label={t('deleteOf', { name: image.name })}>
                      {t('App:delete')}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function DeleteImage({ account, image, onClose }: { account: string; image: ImageInfoData | null; onClose: () => void }) {
  const { t } = useTranslation('Images');
  const [remove] = coreApi.useCoreDeleteImageMutation();
  const refused = useProblemToast();
  const end = async () => {
    if (!image) return;
    const { error } = await remove({ account, imageId: image.id.imageId });
    refused(t('failed'), error);
    onClose();
  };
  return (
    <Confirm opened={image !== null} onClose={onClose} title={t('deleteTitle', { name: image?.name ?? '' })} action={t('App:delete')} onConfirm={end}>
      {t('deleteHint')}
    </Confirm>
  );
}
