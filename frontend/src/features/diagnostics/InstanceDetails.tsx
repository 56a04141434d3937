import { Skeleton, Stack, Table, Tabs, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { Copy } from '@/components/code/Copy';
import { InstanceEvents } from '@/components/events/InstanceEvents';
import { ProblemView } from '@/components/feedback/ProblemView';
import { WaitingReason } from '@/components/feedback/WaitingReason';
import { Duration } from '@/components/format/Duration';
import { formatMoment } from '@/lib/format/time';

import { Logs } from './logs/Logs';
import type { Which } from './logs/useLogTail';

const InstanceMonitoring = lazy(async () => ({
  default: (await import('@/features/monitoring/InstanceMonitoring')).InstanceMonitoring,
}));

const POLL = { pollingInterval: 3000, skipPollingIfUnfocused: true };

export function InstanceDetails(which: Which) {
  const { t } = useTranslation('Diagnostics');
  return (
    <Tabs defaultValue="logs" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="logs">{t('tab.logs')}</Tabs.Tab>
        <Tabs.Tab value="events">{t('tab.events')}</Tabs.Tab>
        <Tabs.Tab value="monitoring">{t('tab.monitoring')}</Tabs.Tab>
        <Tabs.Tab value="environment">{t('tab.environment')}</Tabs.Tab>
        <Tabs.Tab value="start">{t('tab.start')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="logs">
        <Logs {...which} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <InstanceEvents {...which} />
      </Tabs.Panel>
      <Tabs.Panel value="monitoring">
        <Suspense fallback={<Skeleton h={420} />}>
          <InstanceMonitoring {...which} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="environment">
        <Environment {...which} />
      </Tabs.Panel>
      <Tabs.Panel value="start">
        <Start {...which} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Environment(which: Which) {
  const { t } = useTranslation('Diagnostics');
  const { data, error } = coreApi.useCoreGetInstanceEnvironmentQuery(which);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} />;
  if (!data) return <Skeleton h={200} />;
  const variables = Object.entries(data.environment);
  if (variables.length === 0) return <Text c="dimmed">{t('noEnvironment')}</Text>;
  return (
    <Table>
      <Table.Tbody>
        {variables.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" ff="monospace" fw={500} miw={96} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Table.Th>
            <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
            <Table.Td w={44}>
              <Copy value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Duration of the start, and result of the last run. */
function Start(which: Which) {
  const { t } = useTranslation('Diagnostics');
  const timing = coreApi.useCoreGetInstanceTimingQuery(which, POLL);
  const last = coreApi.useCoreGetInstanceLastStateQuery(which, POLL);
  const problem = asProblem(timing.error ?? last.error);
  if (problem && !timing.data) return <ProblemView problem={problem} />;
  if (!timing.data) return <Skeleton h={160} />;
  const { instanceStartTime, instanceStartedTime, instanceErrorTime, modelAverageStartTimeSec } = timing.data;
  const took = instanceStartedTime ? (Date.parse(instanceStartedTime) - Date.parse(instanceStartTime)) / 1000 : null;
  const ended = last.data?.terminated;
  const waits = last.data?.waiting;
  const facts: [string, ReactNode][] = [
    [t('begun'), formatMoment(instanceStartTime)],
    [t('answered'), instanceStartedTime && formatMoment(instanceStartedTime)],
    [t('took'), took === null ? null : <Duration key="took" seconds={took} />],
    [
      t('usually'),
      modelAverageStartTimeSec === null ? null : <Duration key="usually" seconds={modelAverageStartTimeSec} />,
    ],
    [t('failedAt'), instanceErrorTime && formatMoment(instanceErrorTime)],
    [t('waitsFor'), waits && <WaitingReason key="waits" waiting={waits} />],
    [
      t('lastEnd'),
      ended
        ? [
            ended.finishedAt && formatMoment(ended.finishedAt),
            ended.reason,
            ended.exitCode === null ? null : t('exitCode', { code: ended.exitCode }),
            ended.message,
          ]
            .filter(Boolean)
            .join(' · ')
        : null,
    ],
  ];
  return (
    <Stack gap="xs" component="dl" m={0}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
    </Stack>
  );
}
