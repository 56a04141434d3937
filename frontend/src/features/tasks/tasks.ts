import type { JobStatus, ShortJobView } from '@/api/generated/core.gen';

export type TaskTab = 'all' | 'progress' | 'completed';

/** Deeper levels are not shown. */
export const DEPTH = 3;

export function isInProgress(status: JobStatus): boolean {
  return status === 'IDLE' || status === 'RUN';
}

export function isFinished(status: JobStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'REVERTED';
}

/** Replaced tasks are omitted. */
export function listed(all: readonly ShortJobView[]): ShortJobView[] {
  return all.filter(({ viewStatus }) => viewStatus !== 'REPLACED');
}

/** A task that is being cancelled is not finished yet. */
export function inTab(tab: TaskTab, { viewStatus }: Pick<ShortJobView, 'viewStatus'>): boolean {
  return tab === 'all' || (tab === 'completed') === isFinished(viewStatus);
}

export function taskIndicator(
  all: readonly Pick<ShortJobView, 'viewStatus' | 'unreadStatus'>[],
): 'danger' | 'info' | null {
  const unread = all.filter(({ unreadStatus }) => unreadStatus);
  if (unread.some(({ viewStatus }) => viewStatus === 'FAILED')) return 'danger';
  return unread.some(({ viewStatus }) => isInProgress(viewStatus)) ? 'info' : null;
}

export function clampedPercentage(percentage: number): number {
  return Math.min(100, Math.max(0, percentage));
}

/** From its start to its end, or to now while it runs. */
export function secondsOf({ runAt, endTime }: Pick<ShortJobView, 'runAt' | 'endTime'>, now: number): number {
  const until = endTime === null ? now : new Date(endTime).getTime();
  return Math.max(0, (until - new Date(runAt).getTime()) / 1000);
}
