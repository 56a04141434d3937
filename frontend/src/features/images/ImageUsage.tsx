import { Anchor, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { Link } from '@/components/Link';

const SHOWN = 20;

/** Services that run an image, and are restarted when it changes. */
export function ImageUsage({ account, imageId }: { account: string; imageId: number }) {
  const { t } = useTranslation('Images');
  const { data } = coreApi.useCoreGetPagedModelsQuery({ account, onlyMy: true, imageId, size: SHOWN });
  if (!data) return <Skeleton h={60} />;
  return (
    <Stack gap="xs">
      <Title order={3}>{t('usage', { count: data.paging.totalElements })}</Title>
      {data.records.length === 0 && <Text c="dimmed">{t('unused')}</Text>}
      <List>
        {data.records.map((model) => (
          <List.Item key={model.id.modelId}>
            <Anchor component={Link} to={`/workspace/model/${model.id.accountId}/${model.id.modelId}`}>
              {model.displayName ?? model.modelName}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
