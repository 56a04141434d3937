import type { ChartMark } from './Overlays';
import { indexAt } from './scale';

/** The texts of the events that lie nearest to each time, by its index. Events outside of the times are left out. */
export function notesOf(
  times: readonly number[],
  marks: readonly ChartMark[],
  step: number,
): ReadonlyMap<number, readonly string[]> {
  const notes = new Map<number, string[]>();
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  for (const { time, text } of marks) {
    if (times.length === 0 || time < first - step || time > last + step) continue;
    const at = indexAt(times, time);
    notes.set(at, [...(notes.get(at) ?? []), text]);
  }
  return notes;
}
