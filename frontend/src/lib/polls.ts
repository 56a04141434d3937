import type { StartData } from '@/api/first/generated/core.gen';

import { waitsForServer } from './waiting';

/** Polling intervals. All polling pauses while the tab is hidden. */
export const BALANCE_POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };
export const NOTIFICATION_POLL = { pollingInterval: 5000, skipPollingIfUnfocused: true };
/** For queries of what starts: somebody may be waiting for it. */
export const START_POLL = { pollingInterval: 3000, skipPollingIfUnfocused: true };
const LIST_POLL = { pollingInterval: 10_000, skipPollingIfUnfocused: true };
export const TASK_POLL = { pollingInterval: 4000, skipPollingIfUnfocused: true };

type Found = { start?: StartData | null };

/** How the query of a service is asked a second time, often, as long as the service starts. */
export const whileStarting = (found: Found | undefined) => ({ ...START_POLL, skip: !found?.start });

/** The same for a list. One that waits for a server may do so for days. */
export const whileSomeStart = (found: readonly Found[] | undefined) => ({
  ...LIST_POLL,
  skip: !found?.some(({ start }) => start && !waitsForServer(start)),
});
