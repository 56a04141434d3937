import { Progress, Stack } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';

import type { StartData } from '@/api/first/generated/core.gen';
import { waitsForServer } from '@/lib/waiting';

import { SECOND_MS, StartProgress, usePassed } from './StateWithStart';

/** A start that takes longer than usual is not over. */
const MOST_PERCENT = 95;

/** How far a start is, with a bar, where people have nothing else to look at. */
export function StartBar({ start }: { start: StartData }) {
  const passed = usePassed(start.since);
  const still = useReducedMotion();
  const { usualSeconds } = start;
  const waits = waitsForServer(start);
  return (
    <Stack gap={6}>
      <StartProgress state={waits ? 'WAITING' : 'STARTING'} start={start} />
      {!waits && (
        <Progress
          value={usualSeconds === null ? 100 : Math.min(MOST_PERCENT, (100 * passed) / Math.max(1, usualSeconds))}
          animated={usualSeconds === null && !still}
          transitionDuration={still ? 0 : SECOND_MS}
          size="sm"
          aria-hidden
        />
      )}
    </Stack>
  );
}
