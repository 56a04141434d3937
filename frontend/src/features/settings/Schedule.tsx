import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { ScheduledInstanceCount } from '@/api/generated/core.gen';
import type { CustomControl, CustomField } from '@/components/settings/fields';

import { faultOfRow, parseTime, type Row, rowsOf, scheduleOf } from './scheduleTimes';

const NEW_ROW: Row = { start: '09:00', end: '18:00', min: 1, max: 1 };

/** Numbers of instances by time of day, as a field of the settings. */
export const SCHEDULE: CustomField = {
  read: (stored) => rowsOf((stored as ScheduledInstanceCount[] | null | undefined) ?? []),
  write: (edited) => scheduleOf(edited as Row[]),
  isFaulty: (edited) => (edited as Row[]).some(faultOfRow),
  Control: Schedule,
};

function Schedule({ value, error, readOnly, onChange }: CustomControl) {
  const { t } = useTranslation('Settings');
  const rows = value as Row[];
  const change = (index: number, part: Partial<Row>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('scheduleHint')}
      </Text>
      {rows.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that tells them apart
        <Group key={index} align="flex-start" gap="xs" wrap="wrap">
          <TextInput
            w={90}
            readOnly={readOnly}
            aria-label={t('from')}
            placeholder="HH:MM"
            value={row.start}
            error={parseTime(row.start) ? null : t('fault.time')}
            onChange={({ currentTarget }) => change(index, { start: currentTarget.value })}
          />
          <TextInput
            w={90}
            readOnly={readOnly}
            aria-label={t('until')}
            placeholder="HH:MM"
            value={row.end}
            error={parseTime(row.end) ? null : t('fault.time')}
            onChange={({ currentTarget }) => change(index, { end: currentTarget.value })}
          />
          <NumberInput
            w={110}
            readOnly={readOnly}
            aria-label={t('atLeast')}
            min={0}
            max={1000}
            allowDecimal={false}
            value={row.min}
            onChange={(min) => change(index, { min })}
          />
          <NumberInput
            w={110}
            readOnly={readOnly}
            aria-label={t('atMost')}
            min={0}
            max={1000}
            allowDecimal={false}
            value={row.max}
            error={faultOfRow(row) === 'bounds' ? t('fault.bounds') : null}
            onChange={(max) => change(index, { max })}
          />
          {!readOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('App:delete')}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {!readOnly && (
        <Button
          w="fit-content"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => onChange([...rows, NEW_ROW])}
        >
          {t('addRow')}
        </Button>
      )}
    </Stack>
  );
}
