import { ScrollArea, Stack, Switch, Table, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { formatMoment } from '@/lib/time';

const POLL_MS = 3000;

interface Which {
  account: string;
  model: string;
  instanceId: number;
}

export function InstanceDetails(which: Which) {
  const { t } = useTranslation('Diagnostics');
  return (
    <Tabs defaultValue="logs" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="logs">{t('tab.logs')}</Tabs.Tab>
        <Tabs.Tab value="events">{t('tab.events')}</Tabs.Tab>
        <Tabs.Tab value="environment">{t('tab.environment')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="logs">
        <Logs {...which} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <Events {...which} />
      </Tabs.Panel>
      <Tabs.Panel value="environment">
        <Environment {...which} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Logs(which: Which) {
  const { t } = useTranslation('Diagnostics');
  const [previous, setPrevious] = useState(false);
  const { data } = coreApi.useCoreGetInstanceLogsQuery(
    { ...which, previousContainer: previous },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  const text = typeof data === 'string' ? data : '';
  return (
    <Stack gap="sm">
      <Switch label={t('previousRun')} checked={previous} onChange={({ currentTarget }) => setPrevious(currentTarget.checked)} />
      <ScrollArea h="70vh" type="auto" bg="var(--mlp-surface)" p="sm">
        {text ? (
          <Text component="pre" ff="monospace" size="xs" m={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        ) : (
          <Text c="dimmed">{t('noLogs')}</Text>
        )}
      </ScrollArea>
    </Stack>
  );
}

function Events(which: Which) {
  const { data } = coreApi.useCoreGetInstanceEventsQuery(which, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  return (
    <Table>
      <Table.Tbody>
        {(data?.events ?? []).toReversed().map((event) => (
          <Table.Tr key={event.name}>
            <Table.Td ff="monospace">{formatMoment(event.lastSeenTimestamp)}</Table.Td>
            <Table.Td fw={event.type === 'Warning' ? 600 : 400}>{event.reason}</Table.Td>
            <Table.Td>
              {event.message}
              {event.count > 1 ? ` ×${event.count}` : ''}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Environment(which: Which) {
  const { data } = coreApi.useCoreGetInstanceEnvironmentQuery(which);
  return (
    <Table>
      <Table.Tbody>
        {Object.entries(data?.environment ?? {}).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Td ff="monospace">{name}</Table.Td>
            <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
