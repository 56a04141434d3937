import { SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelAutoScalingConfiguration, ModelMetric, ScalingDecisionData } from '@/api/generated/core.gen';
import { TimeSeries } from '@/components/charts/TimeSeries';
import type { Threshold } from '@/components/charts/Overlays';
import { formatExactMoment, formatDuration } from '@/lib/format/time';
import { mebibytes } from '@/lib/format/resources';

import { type Measured, perInstance, series, timesOf, valuesOf } from './lines';
import { marksOf } from './marks';
import type { Period } from './periods';

export const METRICS = [
  'MODEL_SUCCESS_REQUESTS_COUNT',
  'MODEL_FAILED_REQUESTS_COUNT',
  'MODEL_REFUSED_REQUESTS_COUNT',
  'MODEL_ACTIVE_REQUESTS_COUNT',
  'MODEL_WAITING_REQUESTS_COUNT',
  'MODEL_AVERAGE_REQUEST_TIME',
  'MODEL_P95_REQUEST_TIME',
  'MODEL_AVERAGE_QUEUE_TIME',
  'MODEL_P95_QUEUE_TIME',
  'MODEL_INSTANCES_COUNT',
  'MODEL_CONNECTED_INSTANCES_COUNT',
  'MODEL_CPU_USAGE',
  'MODEL_RAM_USAGE',
  'MODEL_RAM_LIMIT',
] as const satisfies readonly ModelMetric[];

const SYNC = 'monitoring';
const HEIGHT = 200;
const MINUTE = 60;
const MILLI = 1000;
const milliseconds = (value: number) => formatDuration(value / MILLI);

interface Props {
  measured: Measured | undefined;
  period: Period;
  /** The thresholds to draw. */
  scaling: ModelAutoScalingConfiguration | null;
  decisions: readonly ScalingDecisionData[];
  /** When the first sample was taken, in milliseconds. */
  since: number | null;
}

/** The charts of a service, on one time axis, with thresholds and decisions of autoscaling. */
export function ModelCharts({ measured, period, scaling, decisions, since }: Props) {
  const { t, i18n } = useTranslation('Monitoring');
  const times = useMemo(() => measured && timesOf(measured, METRICS), [measured]);
  const values = useMemo(() => {
    const of = (metric: ModelMetric) => valuesOf(measured ?? {}, metric, times ?? [], period.step);
    return Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Record<
      (typeof METRICS)[number],
      (number | null)[]
    >;
  }, [measured, times, period.step]);
  const marks = useMemo(() => marksOf(decisions, t), [decisions, t]);
  const limits = (up: keyof ModelAutoScalingConfiguration, down: keyof ModelAutoScalingConfiguration): Threshold[] =>
    scaling?.enabled
      ? (
          [
            ['adds', scaling[up]],
            ['removes', scaling[down]],
          ] as const
        ).flatMap(([key, value]) => (typeof value === 'number' ? [{ name: t(key), value }] : []))
      : [];
  const connected = values.MODEL_CONNECTED_INSTANCES_COUNT;
  const ended = values.MODEL_SUCCESS_REQUESTS_COUNT.map((value, at) =>
    value === null ? null : value + (values.MODEL_FAILED_REQUESTS_COUNT[at] ?? 0),
  );
  const empty = (
    <Text c="dimmed">
      {since === null ? t('never') : t('since', { when: formatExactMoment(new Date(since), i18n.language) })}
    </Text>
  );
  const to = times?.at(-1);
  const shared = {
    times,
    step: Math.max(period.step, MINUTE),
    syncKey: `${SYNC}-${period.minutes}`,
    height: HEIGHT,
    empty,
    ...(to !== undefined && { to, from: to - period.minutes * MINUTE }),
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <TimeSeries
        {...shared}
        title={t('requests')}
        series={[
          series(t('answered'), values.MODEL_SUCCESS_REQUESTS_COUNT),
          series(t('failed'), values.MODEL_FAILED_REQUESTS_COUNT),
          series(t('refused'), values.MODEL_REFUSED_REQUESTS_COUNT),
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('instances')}
        marks={marks}
        series={[series(t('present'), values.MODEL_INSTANCES_COUNT), series(t('connected'), connected)]}
      />
      <TimeSeries
        {...shared}
        title={t('active')}
        thresholds={limits('scaleUpActiveRequestsThreshold', 'scaleDownActiveRequestsThreshold')}
        series={[
          series(t('inProgress'), values.MODEL_ACTIVE_REQUESTS_COUNT),
          series(t('waiting'), values.MODEL_WAITING_REQUESTS_COUNT),
          series(t('eachInstance'), perInstance(values.MODEL_ACTIVE_REQUESTS_COUNT, connected)),
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('rate')}
        thresholds={limits('scaleUpRequestsPerMinuteThreshold', 'scaleDownRequestsPerMinuteThreshold')}
        series={[series(t('eachInstance'), perInstance(ended, connected, MINUTE / period.step))]}
      />
      <TimeSeries
        {...shared}
        title={t('latency')}
        format={milliseconds}
        axisFormat={milliseconds}
        thresholds={limits('scaleUpLatencyThresholdMs', 'scaleDownLatencyThresholdMs')}
        series={[
          series(t('average'), values.MODEL_AVERAGE_REQUEST_TIME),
          series(t('p95'), values.MODEL_P95_REQUEST_TIME),
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('queueTime')}
        format={milliseconds}
        axisFormat={milliseconds}
        thresholds={limits('scaleUpQueueTimeThresholdMs', 'scaleDownQueueTimeThresholdMs')}
        series={[
          series(t('average'), values.MODEL_AVERAGE_QUEUE_TIME),
          series(t('p95OfWaiting'), values.MODEL_P95_QUEUE_TIME),
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('cpu')}
        thresholds={limits('scaleUpCpuThresholdMilliCores', 'scaleDownCpuThresholdMilliCores')}
        series={[
          series(t('all'), values.MODEL_CPU_USAGE),
          series(t('eachInstance'), perInstance(values.MODEL_CPU_USAGE, connected)),
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('memory')}
        binary
        format={mebibytes}
        axisFormat={mebibytes}
        series={[series(t('used'), values.MODEL_RAM_USAGE), series(t('limit'), values.MODEL_RAM_LIMIT)]}
      />
    </SimpleGrid>
  );
}
