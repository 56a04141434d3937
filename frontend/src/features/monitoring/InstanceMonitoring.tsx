import { Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { InstanceMetric } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';

import { type ChartOf, MetricCharts, metricsOf } from './MetricCharts';
import { pollingOf } from './periods';
import { PeriodSelect, usePeriod } from './PeriodSelect';

const CHARTS: readonly ChartOf<InstanceMetric>[] = [
  {
    title: 'requests',
    kind: 'number',
    lines: [
      { metric: 'INSTANCE_SUCCESS_REQUESTS_COUNT', name: 'answered' },
      { metric: 'INSTANCE_FAILED_REQUESTS_COUNT', name: 'failed' },
    ],
  },
  {
    title: 'active',
    kind: 'number',
    lines: [{ metric: 'INSTANCE_ACTIVE_REQUESTS_COUNT', name: 'inProgress', area: true }],
  },
  { title: 'latency', kind: 'time', lines: [{ metric: 'INSTANCE_AVERAGE_REQUEST_TIME', name: 'average' }] },
  {
    title: 'cores',
    kind: 'cores',
    lines: [
      { metric: 'INSTANCE_CPU_USAGE', name: 'used', area: true },
      { metric: 'INSTANCE_CPU_REQUESTED', name: 'reserved' },
    ],
  },
  {
    title: 'memory',
    kind: 'memory',
    lines: [
      { metric: 'INSTANCE_RAM_USAGE', name: 'used', area: true },
      { metric: 'INSTANCE_RAM_LIMIT', name: 'limit' },
    ],
  },
  { title: 'disk', kind: 'memory', lines: [{ metric: 'INSTANCE_DISK_USAGE', name: 'used', area: true }] },
  {
    title: 'restarts',
    kind: 'number',
    lines: [
      { metric: 'INSTANCE_RESTARTS_COUNT', name: 'ofContainer' },
      { metric: 'INSTANCE_RECONNECTS_COUNT', name: 'reconnects' },
    ],
  },
  {
    title: 'gpus',
    kind: 'number',
    optional: true,
    lines: [{ metric: 'INSTANCE_GPU_USAGE', name: 'used', area: true }],
  },
  {
    title: 'vram',
    kind: 'memory',
    optional: true,
    lines: [{ metric: 'INSTANCE_VRAM_USAGE', name: 'used', area: true }],
  },
];
const METRICS = metricsOf(CHARTS);

interface Props {
  account: string;
  model: string;
  instanceId: number;
  /** The page has a choice of the period already. */
  chosen?: boolean;
}

/** What one instance does and uses, over time. */
export function InstanceMonitoring({ chosen = false, ...which }: Props) {
  const { t } = useTranslation('Monitoring');
  const period = usePeriod();
  const polling = { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true };
  const { currentData, error, refetch } = coreApi.useCoreGetInstanceMetricRangeQuery(
    { ...which, metrics: METRICS, minutes: period.minutes, stepSeconds: period.step },
    polling,
  );
  const { data: since } = coreApi.useCoreGetEarliestTimestampOfInstanceMetricQuery({
    ...which,
    metric: 'INSTANCE_CPU_USAGE',
  });
  const problem = asProblem(error);
  return (
    <Stack gap="lg">
      {!chosen && (
        <Group justify="flex-end">
          <PeriodSelect />
        </Group>
      )}
      {problem && !currentData ? (
        <ProblemView problem={problem} again={() => void refetch()} />
      ) : (
        <MetricCharts
          charts={CHARTS}
          measured={currentData}
          period={period}
          since={since ?? null}
          never={t('neverInstance')}
        />
      )}
    </Stack>
  );
}
