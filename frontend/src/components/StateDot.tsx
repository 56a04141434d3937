import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './StateDot.module.css';

const TONES: Record<string, 'green' | 'blue' | 'amber' | 'red' | 'grey'> = {
  RUNNING: 'green',
  STARTED: 'green',
  SOUND: 'green',
  STARTING: 'blue',
  SCHEDULED: 'blue',
  WAITING: 'amber',
  WAITING_FOR_ROOM: 'amber',
  IDLE: 'amber',
  REMOVING: 'amber',
  DELETING: 'amber',
  FAILED: 'red',
  UNSOUND: 'red',
  TASK_IDLE: 'blue',
  TASK_RUN: 'blue',
  TASK_REVERTING: 'amber',
  TASK_COMPLETED: 'green',
  TASK_FAILED: 'red',
  TASK_REVERTED: 'grey',
  SLEEPING: 'grey',
  INACTIVE: 'grey',
  DELETED: 'grey',
  STOPPED: 'grey',
  UNAVAILABLE: 'grey',
};

/** A dot and a word, or a text that says what the state means: state is never shown by colour alone. It pulses only during a change of state. */
export function StateDot({ state, text }: { state: string; text?: string }) {
  const { t } = useTranslation('State');
  const tone = TONES[state] ?? 'grey';
  return (
    <Group gap={6} wrap="nowrap">
      <span className={classes.dot} data-tone={tone} data-moving={tone === 'blue' || undefined} aria-hidden />
      <Text size="sm" span>
        {text || t(state)}
      </Text>
    </Group>
  );
}
