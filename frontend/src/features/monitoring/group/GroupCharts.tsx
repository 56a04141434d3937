import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { NodeMetric } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';

import { type ChartOf, MetricCharts, metricsOf } from '../MetricCharts';
import { pollingOf } from '../periods';
import { usePeriod } from '../PeriodSelect';

const CHARTS: readonly ChartOf<NodeMetric>[] = [
  {
    title: 'cores',
    kind: 'cores',
    lines: [
      { metric: 'NODE_CPU_USAGE', name: 'used', area: true },
      { metric: 'NODE_CPU_REQUESTED', name: 'reserved' },
      { metric: 'NODE_CPU_CAPACITY', name: 'capacity' },
    ],
  },
  {
    title: 'memory',
    kind: 'memory',
    lines: [
      { metric: 'NODE_RAM_USAGE', name: 'used', area: true },
      { metric: 'NODE_RAM_REQUESTED', name: 'reserved' },
      { metric: 'NODE_RAM_CAPACITY', name: 'capacity' },
    ],
  },
  {
    title: 'disk',
    kind: 'memory',
    lines: [
      { metric: 'NODE_DISK_USAGE', name: 'used', area: true },
      { metric: 'NODE_EPHEMERAL_DISK_REQUESTED', name: 'reserved' },
      { metric: 'NODE_EPHEMERAL_DISK_ALLOCATABLE_CAPACITY', name: 'capacity' },
    ],
  },
  {
    title: 'gpuInstances',
    kind: 'number',
    optional: true,
    lines: [
      { metric: 'NODE_GPU_PODS_COUNT', name: 'withGpu', area: true },
      { metric: 'NODE_GPU_PODS_LIMIT', name: 'gpus' },
    ],
  },
  {
    title: 'gpus',
    kind: 'number',
    optional: true,
    lines: [
      { metric: 'NODE_GPU_USAGE', name: 'used', area: true },
      { metric: 'NODE_GPU_LIMIT', name: 'capacity' },
    ],
  },
  {
    title: 'vram',
    kind: 'memory',
    optional: true,
    lines: [
      { metric: 'NODE_VRAM_USAGE', name: 'used', area: true },
      { metric: 'NODE_VRAM_LIMIT', name: 'capacity' },
    ],
  },
];
const METRICS = metricsOf(CHARTS);

/** The resources of one server, or the sums over all servers of the group. */
export function GroupCharts({ node, ...where }: { account: string; groupName: string; node: string | null }) {
  const { t } = useTranslation('Monitoring');
  const period = usePeriod();
  const which = { ...where, ...(node && { nodeName: node }) };
  const polling = { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true };
  const { currentData, error, refetch } = coreApi.useCoreGetResourceMetricRangeQuery(
    { ...which, metrics: METRICS, minutes: period.minutes, stepSeconds: period.step },
    polling,
  );
  const { data: since } = coreApi.useCoreGetEarliestTimestampOfResourceGroupMetricQuery({
    ...which,
    metric: 'NODE_CPU_CAPACITY',
  });
  const problem = asProblem(error);
  if (problem && !currentData) return <ProblemView problem={problem} again={() => void refetch()} />;
  return (
    <MetricCharts
      charts={CHARTS}
      measured={currentData}
      period={period}
      since={since ?? null}
      never={t('neverGroup')}
    />
  );
}
