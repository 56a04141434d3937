import { SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { ChartSeries } from '@/components/charts/series';
import { TimeSeries } from '@/components/charts/TimeSeries';
import { formatNumber } from '@/lib/format/number';
import { mebibytes } from '@/lib/format/resources';
import { formatDuration, formatExactMoment } from '@/lib/format/time';

import { type Measured, timesOf, valuesOf } from './lines';
import type { Period } from './periods';

const MILLI = 1000;
const MINUTE = 60;
const HEIGHT = 200;

export type Kind = 'cores' | 'memory' | 'time' | 'number';

/** A chart of metrics. The names of the chart and of its lines are texts of the section `Monitoring`. */
export interface ChartOf<Metric extends string> {
  title: string;
  kind: Kind;
  lines: readonly { metric: Metric; name: string; area?: boolean }[];
  /** Left out while nothing of it was measured: servers without GPUs have no such charts. */
  optional?: boolean;
}

/** Values as people read them; the server's units are thousandths of a core, MiB and milliseconds. */
const FORMATS: Record<Kind, (value: number) => string> = {
  cores: (value) => formatNumber(value / MILLI),
  memory: mebibytes,
  time: (value) => formatDuration(value / MILLI),
  number: (value) => formatNumber(value),
};

/** What is used, reserved and the most has one colour in all charts of resources. */
const SLOTS: Record<string, Pick<ChartSeries, 'slot'>> = {
  used: { slot: 0 },
  reserved: { slot: 2 },
  capacity: { slot: 5 },
  limit: { slot: 5 },
};

export const metricsOf = <Metric extends string>(charts: readonly ChartOf<Metric>[]): Metric[] => [
  ...new Set(charts.flatMap(({ lines }) => lines.map(({ metric }) => metric))),
];

interface Props<Metric extends string> {
  charts: readonly ChartOf<Metric>[];
  measured: Measured | undefined;
  period: Period;
  /** When the first sample was taken, in milliseconds; null before any. */
  since: number | null;
  /** What will be the first to be measured. */
  never: string;
}

/** Charts of one thing on one time axis. */
export function MetricCharts<Metric extends string>({ charts, measured, period, since, never }: Props<Metric>) {
  const { t, i18n } = useTranslation('Monitoring');
  const times = useMemo(() => measured && timesOf(measured, metricsOf(charts)), [measured, charts]);
  const drawn = useMemo(
    () =>
      charts.map((chart) => ({
        ...chart,
        series: chart.lines.map(({ metric, name, area }) => ({
          name: t(name),
          ...SLOTS[name],
          values: valuesOf(measured ?? {}, metric, times ?? [], period.step),
          ...(area && { area }),
        })),
      })),
    [charts, measured, times, period.step, t],
  );
  const empty = (
    <Text c="dimmed">
      {since === null ? never : t('since', { when: formatExactMoment(new Date(since), i18n.language) })}
    </Text>
  );
  const to = times?.at(-1);
  // Another period is another axis: what was shown closely may not be on it.
  const shared = {
    times,
    step: Math.max(period.step, MINUTE),
    syncKey: `${charts[0]?.title}-${period.minutes}`,
    height: HEIGHT,
    empty,
    ...(to !== undefined && { to, from: to - period.minutes * MINUTE }),
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      {drawn.map(({ title, kind, optional, series }) =>
        optional && series.every(({ values }) => values.every((value) => value === null)) ? null : (
          <TimeSeries
            key={title}
            {...shared}
            title={t(title)}
            binary={kind === 'memory'}
            format={FORMATS[kind]}
            axisFormat={FORMATS[kind]}
            series={series}
          />
        ),
      )}
    </SimpleGrid>
  );
}
