import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';

import { faultOfRow, parseTime, type Row, rowsOf, scheduleOf } from './scheduleTimes';

const NEW_ROW: Row = { start: '09:00', end: '18:00', min: 1, max: 1 };

/** Numbers of instances by time of day. */
export function Schedule({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Settings');
  const [update, { isLoading }] = coreApi.useCoreUpdateModelMutation();
  const refused = useProblemToast();
  const { autoScalingConfiguration: stored } = model;
  const before = rowsOf(stored.scheduledInstanceCountSettings ?? []);
  const [rows, setRows] = useState(before);
  const change = (index: number, part: Partial<Row>) => setRows((now) => now.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const changed = JSON.stringify(rows) !== JSON.stringify(before);
  const save = async () => {
    const autoScalingConfiguration = { ...stored, scheduledInstanceCountSettings: scheduleOf(rows) };
    const { error } = await update({ account, model: model.modelName, modelCreateUpdateData: { modelName: model.modelName, autoScalingConfiguration } });
    if (!refused(t('failed'), error)) toastDone(t('saved'));
  };
  return (
    <Stack gap="md" maw={640} component="section">
      <Title order={3}>{t('section.schedule')}</Title>
      <Text size="sm" c="dimmed">
        {t('scheduleHint')}
      </Text>
      {rows.map((row, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that tells them apart
        <Group key={index} align="flex-start" gap="xs" wrap="wrap">
          <TextInput w={90} aria-label={t('from')} placeholder="HH:MM" value={row.start} error={parseTime(row.start) ? null : t('fault.time')} onChange={({ currentTarget }) => change(index, { start: currentTarget.value })} />
          <TextInput w={90} aria-label={t('until')} placeholder="HH:MM" value={row.end} error={parseTime(row.end) ? null : t('fault.time')} onChange={({ currentTarget }) => change(index, { end: currentTarget.value })} />
          <NumberInput w={110} aria-label={t('atLeast')} min={0} max={1000} allowDecimal={false} value={row.min} onChange={(min) => change(index, { min })} />
          <NumberInput w={110} aria-label={t('atMost')} min={0} max={1000} allowDecimal={false} value={row.max} error={faultOfRow(row) === 'bounds' ? t('fault.bounds') : null} onChange={(max) => change(index, { max })} />
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('App:delete')} onClick={() => setRows((now) => now.filter((_, at) => at !== index))}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setRows((now) => [...now, NEW_ROW])}>
          {t('addRow')}
        </Button>
        <Button loading={isLoading} disabled={!changed || rows.some(faultOfRow)} onClick={() => void save()}>
          {t('App:save')}
        </Button>
      </Group>
    </Stack>
  );
}
