import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, gatewayApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { When } from '@/components/format/When';

import type { Where } from './where';

const POLL_MS = 10_000;

/** Whether the owner's database answers, and its last problem. */
export function CacheState(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const { data, error, refetch } = gatewayApi.useGatewayGetCacheStateQuery(where, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data || data.state === 'OFF') return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('cache.title')}</Title>
      <Text>{t(`cache.state.${data.state}`)}</Text>
      {data.problem && (
        <Alert color={data.state === 'AWAY' ? 'red' : 'gray'}>
          <Group justify="space-between">
            {t(`cache.problem.${data.problem}`)}
            {data.problemAt && (
              <Text size="xs">
                <When at={data.problemAt} />
              </Text>
            )}
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
