import { Group, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { AccountMetric } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';

import { type ChartOf, MetricCharts, metricsOf } from './MetricCharts';
import { pollingOf } from './periods';
import { PeriodSelect, usePeriod } from './PeriodSelect';

const CHARTS: readonly ChartOf<AccountMetric>[] = [
  {
    title: 'cores',
    kind: 'cores',
    lines: [
      { metric: 'ACCOUNT_CPU_USAGE', name: 'used', area: true },
      { metric: 'ACCOUNT_CPU_REQUESTED', name: 'reserved' },
      { metric: 'ACCOUNT_CPU_LIMIT', name: 'limit' },
    ],
  },
  {
    title: 'memory',
    kind: 'memory',
    lines: [
      { metric: 'ACCOUNT_RAM_USAGE', name: 'used', area: true },
      { metric: 'ACCOUNT_RAM_REQUESTED', name: 'reserved' },
      { metric: 'ACCOUNT_RAM_LIMIT', name: 'limit' },
    ],
  },
  {
    title: 'disk',
    kind: 'memory',
    lines: [
      { metric: 'ACCOUNT_DISK_REQUESTED', name: 'reserved', area: true },
      { metric: 'ACCOUNT_DISK_LIMIT', name: 'limit' },
    ],
  },
  {
    title: 'gpus',
    kind: 'number',
    optional: true,
    lines: [
      { metric: 'ACCOUNT_GPU_REQUESTED', name: 'reserved', area: true },
      { metric: 'ACCOUNT_GPU_LIMIT', name: 'limit' },
    ],
  },
  {
    title: 'calls',
    kind: 'number',
    lines: [
      { metric: 'ACCOUNT_PREDICTS_COUNT_PER_MINUTE_TOTAL', name: 'made', area: true },
      { metric: 'ACCOUNT_PREDICTS_COUNT_PER_MINUTE_EXCEEDED', name: 'overLimit' },
    ],
  },
];
const METRICS = metricsOf(CHARTS);

/** What an account uses beside its limits, over time. */
export default function AccountUse({ account }: { account: string }) {
  const { t } = useTranslation('Monitoring');
  const period = usePeriod();
  const polling = { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true };
  const { currentData, error, refetch } = coreApi.useCoreGetAccountMetricRangeQuery(
    { account, metrics: METRICS, minutes: period.minutes, stepSeconds: period.step },
    polling,
  );
  const { data: since } = coreApi.useCoreGetEarliestTimestampOfAccountMetricQuery({
    account,
    metric: 'ACCOUNT_CPU_REQUESTED',
  });
  const problem = asProblem(error);
  return (
    <Stack gap="lg" component="section" aria-label={t('useOverTime')}>
      <Group justify="space-between">
        <Title order={2}>{t('useOverTime')}</Title>
        <PeriodSelect />
      </Group>
      {problem && !currentData ? (
        <ProblemView problem={problem} again={() => void refetch()} />
      ) : (
        <MetricCharts charts={CHARTS} measured={currentData} period={period} since={since ?? null} never={t('never')} />
      )}
    </Stack>
  );
}
