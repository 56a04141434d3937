import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { DryRunData, DryRunSumsData, ModelAutoScalingConfiguration } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatPrice } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { formatDuration } from '@/lib/format/time';

// Charts come with the first run.
const DryRunCharts = lazy(() => import('./DryRunCharts'));

interface Props {
  account: string;
  model: string;
  /** As it is edited, before it is saved. */
  configuration: ModelAutoScalingConfiguration;
}

const MILLI = 1000;
const hours = (value: number) => formatNumber(Math.round(value * 10) / 10);
const ROWS: readonly [keyof DryRunSumsData, (value: number) => string][] = [
  ['instanceHours', hours],
  ['cost', formatPrice],
  ['p95WaitMs', (value) => formatDuration(value / MILLI)],
  ['mostInstances', formatNumber],
];

/** What the edited settings would have done with the load of the last 24 hours, beside what was. */
export function DryRun({ account, model, configuration }: Props) {
  const { t } = useTranslation('DryRun');
  const [run, { data, error, isLoading }] = coreApi.useCoreDryRunScalingMutation();
  const [tried, setTried] = useState('');
  const problem = asProblem(error);
  const current = JSON.stringify(configuration);
  const start = () => {
    setTried(current);
    void run({ account, model, modelAutoScalingConfiguration: configuration });
  };
  return (
    <Stack gap="sm" mt="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          {t('hint')}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={isLoading}
          onClick={start}
        >
          {t('run')}
        </Button>
      </Group>
      {problem && <ProblemView problem={problem} again={start} />}
      {data && !problem && <Result data={data} outdated={tried !== current} />}
    </Stack>
  );
}

function Result({ data, outdated }: { data: DryRunData; outdated: boolean }) {
  const { t } = useTranslation('DryRun');
  if (data.knownMinutes === 0) return <Text component="output">{t('nothing')}</Text>;
  return (
    <Stack gap="sm">
      <Title order={3}>{t('title')}</Title>
      {outdated && (
        <Text size="sm" component="output">
          {t('outdated')}
        </Text>
      )}
      <Table aria-label={t('title')} maw={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('value')}</Table.Th>
            <Table.Th>{t('actual')}</Table.Th>
            <Table.Th>{t('simulated')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ROWS.filter(([name]) => name !== 'cost' || data.priceOfInstanceHour !== null).map(([name, format]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{t(`sum.${name}`)}</Table.Th>
              {[data.actual[name], data.simulated[name]].map((value, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- the two columns
                <Table.Td key={at}>{value === null ? '–' : format(value)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        {t('assumed', { start: formatDuration(data.startSeconds) })}{' '}
        {data.callsAtOnce === null ? t('anyNumber') : t('atOnce', { calls: data.callsAtOnce })}
      </Text>
      <Suspense fallback={null}>
        <DryRunCharts data={data} />
      </Suspense>
    </Stack>
  );
}
