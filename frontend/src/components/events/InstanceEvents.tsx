import { Skeleton, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Said } from '@/components/feedback/Said';
import { formatMoment } from '@/lib/format/time';

const POLL = { pollingInterval: 3000, skipPollingIfUnfocused: true };

/** What happened to one instance, the newest first. */
export function InstanceEvents(which: { account: string; model: string; instanceId: number }) {
  const { t } = useTranslation('Diagnostics');
  const { data, error } = coreApi.useCoreGetInstanceEventsQuery(which, POLL);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} />;
  if (!data) return <Skeleton h={200} />;
  if (data.events.length === 0) return <Text c="dimmed">{t('noEvents')}</Text>;
  return (
    <Table>
      <Table.Tbody>
        {data.events.toReversed().map((event) => (
          <Table.Tr key={event.name}>
            <Table.Td ff="monospace">{formatMoment(event.lastSeenTimestamp)}</Table.Td>
            <Table.Td fw={event.type === 'Warning' ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
              <Said kind="reason" code={event.reason} message={event.message} />
              {event.count > 1 ? ` ×${event.count}` : ''}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
