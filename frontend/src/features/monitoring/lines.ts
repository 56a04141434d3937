import type { Measurement } from '@/api/generated/core.gen';
import type { ChartSeries } from '@/components/charts/series';

export type Measured = Record<string, Measurement[]>;

const MILLI = 1000;

/** The times of all points, in seconds. */
export function timesOf(measured: Measured, metrics: readonly string[]): number[] {
  const times = new Set(metrics.flatMap((metric) => (measured[metric] ?? []).map(({ ts }) => ts / MILLI)));
  return [...times].toSorted((a, b) => a - b);
}

/** The values of a metric at these times. A metric with longer steps keeps its value for its step. */
export function valuesOf(
  measured: Measured,
  metric: string,
  times: readonly number[],
  step: number,
): (number | null)[] {
  const points = measured[metric] ?? [];
  let next = 0;
  return times.map((time) => {
    while (next < points.length && (points[next]?.ts ?? 0) / MILLI <= time) next += 1;
    const last = points[next - 1];
    return last && time - last.ts / MILLI < Math.max(step, STATES) ? last.v : null;
  });
}

/** Numbers of instances are noted once a minute. */
const STATES = 60;

/** A metric divided by the connected instances; null where there is none. */
export const perInstance = (
  values: readonly (number | null)[],
  connected: readonly (number | null)[],
  factor = 1,
): (number | null)[] =>
  values.map((value, at) => {
    const instances = connected[at];
    return value === null || !instances ? null : (value * factor) / instances;
  });

export const series = (name: string, values: readonly (number | null)[]): ChartSeries => ({ name, values });
