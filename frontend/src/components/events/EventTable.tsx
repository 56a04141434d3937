import { Badge, Box, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { StatLogData } from '@/api/generated/core.gen';
import { Said } from '@/components/feedback/Said';
import { When } from '@/components/format/When';

const COLOURS: Record<string, string> = { WARNING: 'yellow', ERROR: 'red' };

/** Entries of a log, in the order given. */
export function EventTable({ events }: { events: readonly StatLogData[] }) {
  const { t } = useTranslation('Events');
  return (
    <Table stickyHeader>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={{ base: 110, sm: 160 }}>{t('when')}</Table.Th>
          <Table.Th w={120} visibleFrom="sm">
            {t('level')}
          </Table.Th>
          <Table.Th>{t('what')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <Table.Tr key={event.recordId}>
            <Table.Td>
              <When at={event.timestamp} />
              <Box hiddenFrom="sm" mt={4}>
                <Level level={event.level} />
              </Box>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Level level={event.level} />
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
  );
}

function Level({ level }: { level: string }) {
  const { t } = useTranslation('Events');
  return (
    <Badge variant="light" color={COLOURS[level] ?? 'gray'} miw="max-content">
      {t(`levels.${level}`, level)}
    </Badge>
  );
}
