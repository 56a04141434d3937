import { Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';

const PAGE_SIZE = 20;

interface Props {
  /** The account whose services are listed. */
  account: string;
  imageId: number;
  /** Of the account itself: then services of other accounts may mount it, too. */
  own: boolean;
}

/** Services of the account that mount a data image, and where. */
export function DataImageUsage({ account, imageId, own }: Props) {
  const { t } = useTranslation('DataImages');
  const state = useListState();
  const query = coreApi.useCoreGetPagedModelsQuery({
    account,
    onlyMy: true,
    dataImageId: imageId,
    page: state.page - 1,
    size: PAGE_SIZE,
  });
  return (
    <Stack gap="md">
      {own && <Text c="dimmed">{t('usageHint')}</Text>}
      <List
        label={t('tab.usage')}
        query={query}
        rows={query.data?.records}
        pages={query.data?.paging.totalPages}
        total={query.data?.paging.totalElements}
        state={state}
        columns={useColumns(imageId)}
        rowKey={({ id }) => String(id.modelId)}
        rowName={({ displayName, modelName }) => displayName ?? modelName}
        to={({ id }) => `/workspace/model/${id.accountId}/${id.modelId}`}
        empty={{ title: t('unused'), hint: t('unusedHint') }}
        expected={3}
      />
    </Stack>
  );
}

function useColumns(imageId: number): Column<ModelInfoData>[] {
  const { t } = useTranslation('DataImages');
  return [
    { name: 'service', label: t('service'), cell: ({ displayName, modelName }) => displayName ?? modelName },
    {
      name: 'paths',
      label: t('mountedAt'),
      cell: ({ dataImageMounts }) => (
        <Paths
          paths={dataImageMounts
            .filter(({ dataImageId }) => dataImageId === imageId)
            .map(({ targetPath }) => targetPath)}
        />
      ),
    },
  ];
}

function Paths({ paths }: { paths: readonly string[] }) {
  return (
    <Group gap={6}>
      {paths.map((path) => (
        <Code key={path} style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Code>
      ))}
    </Group>
  );
}
