import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { CallSeriesData } from '@/api/generated/core.gen';
import { TimeSeries } from '@/components/charts/TimeSeries';
import { formatPrice } from '@/lib/format/money';
import { formatDuration } from '@/lib/format/time';

import { linesOf } from './strip';

const SYNC = 'calls';
const HEIGHT = 180;
const seconds = (value: number) => formatDuration(value);
const price = (value: number) => formatPrice(value);

/** The same figures as the strip, over time. */
export default function CallCharts({ series }: { series: CallSeriesData }) {
  const { t } = useTranslation('Diagnostics');
  const { times, calls, latency, amount } = useMemo(() => {
    const lines = linesOf(series);
    return {
      times: lines.times,
      calls: [
        { name: t('strip.calls'), values: lines.calls },
        { name: t('strip.errors'), values: lines.failed },
      ],
      latency: [
        { name: t('strip.p95'), values: lines.p95 },
        { name: t('strip.medianName'), values: lines.median },
      ],
      amount: [{ name: t('strip.income'), values: lines.amount }],
    };
  }, [series, t]);
  const shared = { times, step: series.stepSec, syncKey: SYNC, height: HEIGHT };
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
      <TimeSeries {...shared} title={t('strip.calls')} series={calls} />
      <TimeSeries {...shared} title={t('strip.latency')} series={latency} format={seconds} axisFormat={seconds} />
      <TimeSeries {...shared} title={t('strip.income')} series={amount} format={price} />
    </SimpleGrid>
  );
}
