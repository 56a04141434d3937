import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ImageInfoData, ModelInfoData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';
import { StateWithStart } from '@/components/StateWithStart';
import { stateOf } from '@/lib/waiting';

import { RestartServices } from './RestartServices';

const PAGE_SIZE = 20;

interface Props {
  /** The account whose services are listed. */
  account: string;
  image: ImageInfoData;
  /** Of the account itself: then services of other accounts may run it, too. */
  own: boolean;
  /** Whether the reader may restart the services. */
  restarts: boolean;
}

/** Services of the account that run an image, and a way to restart them all. */
export function ImageUsage({ account, image, own, restarts }: Props) {
  const { t } = useTranslation('Images');
  const state = useListState();
  const query = coreApi.useCoreGetPagedModelsQuery({
    account,
    onlyMy: true,
    imageId: image.id.imageId,
    page: state.page - 1,
    size: PAGE_SIZE,
  });
  const total = query.data?.paging.totalElements;
  return (
    <Stack gap="md">
      {own && (
        <Group justify="space-between" align="flex-start" gap="md">
          <Text c="dimmed" flex="1 1 320px">
            {t('usageHint')}
          </Text>
          {restarts && <RestartServices account={account} image={image} services={total} />}
        </Group>
      )}
      <List
        label={t('tab.usage')}
        query={query}
        rows={query.data?.records}
        pages={query.data?.paging.totalPages}
        total={total}
        state={state}
        columns={useColumns()}
        rowKey={({ id }) => String(id.modelId)}
        rowName={({ displayName, modelName }) => displayName ?? modelName}
        to={({ id }) => `/workspace/model/${id.accountId}/${id.modelId}`}
        empty={{ title: t('unused'), hint: t('unusedHint') }}
        expected={3}
      />
    </Stack>
  );
}

function useColumns(): Column<ModelInfoData>[] {
  const { t } = useTranslation('Images');
  return [
    { name: 'service', label: t('service'), cell: ({ displayName, modelName }) => displayName ?? modelName },
    {
      name: 'state',
      label: t('state'),
      width: 190,
      cell: (model) => <StateWithStart state={stateOf(model)} start={model.start} />,
    },
  ];
}
