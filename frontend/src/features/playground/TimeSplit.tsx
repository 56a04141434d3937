import { Group, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Answered } from '@/lib/predict/predict';

import classes from './TimeSplit.module.css';
import { timeSplit } from './timeSplit';

/** What the call spent its time on, as a bar; the legend says the same in figures. */
export function TimeSplit({ answer }: { answer: Answered }) {
  const { t } = useTranslation('Playground');
  const parts = timeSplit(answer);
  return (
    <Stack gap={6}>
      <Progress.Root size="sm" aria-hidden>
        {parts.map(({ part, ms }) => (
          <Progress.Section
            key={part}
            value={(100 * ms) / answer.totalMs}
            className={classes.part ?? ''}
            data-part={part}
            aria-hidden
          />
        ))}
      </Progress.Root>
      <Group gap="md" data-testid="time">
        <Text size="sm" c="dimmed">
          {t('total', { ms: answer.totalMs })}
        </Text>
        {parts.map(({ part, ms }) => (
          <Group key={part} gap={6} wrap="nowrap">
            <span className={classes.swatch} data-part={part} aria-hidden />
            <Text size="sm" c="dimmed">
              {t(`time.${part}`, { ms })}
            </Text>
          </Group>
        ))}
      </Group>
    </Stack>
  );
}
