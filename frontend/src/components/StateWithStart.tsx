import { Group, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import type { StartData } from '@/api/first/generated/core.gen';
import { seconds } from '@/lib/clock';
import { formatDuration, formatRoughDuration, isMoment } from '@/lib/format/time';
import { waitsForServer } from '@/lib/waiting';

import { StateDot } from './StateDot';

export const SECOND_MS = 1000;
const STARTS = ['STARTING', 'WAITING', 'WAITING_FOR_ROOM'];

interface Props {
  /** As `stateOf` or `stateWith` gives it. */
  state: string;
  /** Of what starts; a server of the previous release tells none. */
  start: StartData | null | undefined;
  /** What the state means, if nothing starts. */
  text?: string;
}

/** The state of a service or an instance; while it starts, how far it is, how long already, and how long that usually takes. */
export function StateWithStart({ state, start, text = '' }: Props) {
  if (!start || !STARTS.includes(state)) return <StateDot state={state} text={text} />;
  return <StartProgress state={state} start={start} />;
}

/** How far a start is, in words. */
export function StartProgress({ state, start }: { state: string; start: StartData }) {
  const { t } = useTranslation('Starting');
  // That it waits for room says more than that it waits.
  const text = state === 'WAITING_FOR_ROOM' ? '' : t(`phase.${start.phase}`);
  return (
    <Group gap="0 8px" data-testid="start">
      <StateDot state={state} text={text} />
      <Text size="sm" c="dimmed" span>
        <Passed since={start.since} />
        {/* How long a start takes says nothing of how long the wait takes. */}
        {start.usualSeconds !== null &&
          !waitsForServer(start) &&
          ` · ${t('usually', { time: formatRoughDuration(start.usualSeconds) })}`}
      </Text>
    </Group>
  );
}

/** Screen readers read it when they come to it, and not each second. */
function Passed({ since }: { since: string }) {
  const { t } = useTranslation('Starting');
  return (
    <span role="timer" aria-live="off">
      {t('passed', { time: formatDuration(usePassed(since)) })}
    </span>
  );
}

/** Whole seconds; none if the clock here is behind the server's. */
export function usePassed(since: string): number {
  const now = useSyncExternalStore(seconds.subscribe, seconds.now);
  return isMoment(since) ? Math.max(0, Math.floor((now - Date.parse(since)) / SECOND_MS)) : 0;
}
