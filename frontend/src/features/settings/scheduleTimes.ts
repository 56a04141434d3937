import type { ScheduledInstanceCount, TimePoint } from '@/api/generated/core.gen';

/** A row of the schedule as typed. */
export interface Row {
  start: string;
  end: string;
  min: number | string;
  max: number | string;
}

/** `HH:MM`. */
export function parseTime(text: string): TimePoint | null {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return found ? { hour: Number(found[1]), minute: Number(found[2]), second: 0, nano: 0 } : null;
}

export function formatTime({ hour, minute }: TimePoint): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

export function rowsOf(schedule: readonly ScheduledInstanceCount[]): Row[] {
  return schedule.map(({ startTime, endTime, minInstances, maxInstances }) => ({
    start: formatTime(startTime),
    end: formatTime(endTime),
    min: minInstances,
    max: maxInstances,
  }));
}

export type RowFault = 'time' | 'bounds';

export function faultOfRow({ start, end, min, max }: Row): RowFault | null {
  if (!parseTime(start) || !parseTime(end)) return 'time';
  return min === '' || max === '' || Number(max) < Number(min) ? 'bounds' : null;
}

/** Valid rows in the server's format. */
export function scheduleOf(rows: readonly Row[]): ScheduledInstanceCount[] {
  return rows.flatMap(({ start, end, min, max }) => {
    const [startTime, endTime] = [parseTime(start), parseTime(end)];
    return startTime && endTime ? [{ startTime, endTime, minInstances: Number(min), maxInstances: Number(max) }] : [];
  });
}
