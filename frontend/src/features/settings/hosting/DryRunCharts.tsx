import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { DryRunData } from '@/api/generated/core.gen';
import type { ChartMark } from '@/components/charts/Overlays';
import { TimeSeries } from '@/components/charts/TimeSeries';

const SYNC = 'dry-run';
const HEIGHT = 200;
const MILLI = 1000;

/** The numbers of instances beside each other, and the load that caused them. */
export default function DryRunCharts({ data }: { data: DryRunData }) {
  const { t } = useTranslation('DryRun');
  const { since, stepSeconds, instances, actualInstances, requestsPerMinute, waiting, decisions } = data;
  const times = useMemo(
    () => instances.map((_, at) => since / MILLI + at * stepSeconds),
    [instances, since, stepSeconds],
  );
  const marks = useMemo<ChartMark[]>(
    () =>
      decisions.map(({ decidedAt, before, after }) => ({
        time: decidedAt / MILLI,
        text: `${before} → ${after}`,
        kind: after > before ? 'up' : 'down',
      })),
    [decisions],
  );
  const shared = { times, step: stepSeconds, syncKey: SYNC, height: HEIGHT };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <TimeSeries
        {...shared}
        title={t('instances')}
        marks={marks}
        series={[
          { name: t('actual'), values: actualInstances },
          { name: t('simulated'), values: instances },
        ]}
      />
      <TimeSeries
        {...shared}
        title={t('load')}
        series={[
          { name: t('perMinute'), values: requestsPerMinute },
          { name: t('waiting'), values: waiting },
        ]}
      />
    </SimpleGrid>
  );
}
