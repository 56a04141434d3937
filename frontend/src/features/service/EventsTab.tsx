import { Badge, Group, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Said } from '@/components/feedback/Said';
import { formatMoment, fromNow } from '@/lib/format/time';

const POLL_MS = 10_000;
const ON_A_PAGE = 50;
const LEVELS = ['INFO', 'WARNING', 'ERROR'];
const COLOURS: Record<string, string> = { WARNING: 'yellow', ERROR: 'red' };

/** Events of a service, newest first. */
export function EventsTab({ account, model }: { account: string; model: string }) {
  const { t, i18n } = useTranslation('Events');
  const { data, error, refetch } = coreApi.useCoreGetModelLogsQuery({ account, model }, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const [level, setLevel] = useState<string | null>(null);
  const [page, setPage] = useState(1);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={320} />;
  const events = data.filter((event) => level === null || event.level === level);
  return (
    <Stack>
      <Group justify="flex-end">
        <Select
          size="xs"
          aria-label={t('level')}
          placeholder={t('anyLevel')}
          data={LEVELS.map((value) => ({ value, label: t(`levels.${value}`) }))}
          clearable
          clearButtonProps={{ 'aria-label': t('anyLevel') }}
          value={level}
          onChange={(value) => {
            setLevel(value);
            setPage(1);
          }}
        />
      </Group>
      {events.length === 0 ? (
        <Empty title={t('none')}>{t('noneHint')}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={160}>{t('when')}</Table.Th>
                <Table.Th w={120}>{t('level')}</Table.Th>
                <Table.Th>{t('what')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {events.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE).map((event) => (
                <Table.Tr key={event.recordId}>
                  <Table.Td title={formatMoment(event.timestamp)}>{fromNow(event.timestamp, i18n.language)}</Table.Td>
                  <Table.Td>
                    <Badge variant="light" color={COLOURS[event.level] ?? 'gray'} tt="none" fw={500}>
                      {t(`levels.${event.level}`, event.level)}
                    </Badge>
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <Said kind="event" code={event.code} args={event.args} message={event.message} />
                    <Text size="xs" c="dimmed" ff="monospace">
                      {event.code}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Pager page={page} pages={Math.ceil(events.length / ON_A_PAGE)} onPage={setPage} />
    </Stack>
  );
}
