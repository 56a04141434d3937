import type { ChartSeries } from './series';
import type { Span } from './sync';

/** Values that stay visible on the closest look. */
const LEAST_STEPS = 4;

/** The part from one time to another, within `whole` and not shorter than a few steps; null if that is all of it. */
export function partBetween(whole: Span, one: number, other: number, step: number): Span | null {
  const [first, last] = whole;
  const length = Math.min(last - first, Math.max(Math.abs(other - one), step * LEAST_STEPS));
  const middle = (one + other) / 2;
  const from = Math.min(Math.max(first, middle - length / 2), last - length);
  return length >= last - first ? null : [from, from + length];
}

/** A part `factor` times as long as `shown`, in which `around` keeps its place. */
export function closer(whole: Span, shown: Span, around: number, factor: number, step: number): Span | null {
  const at = Math.min(Math.max(around, shown[0]), shown[1]);
  return partBetween(whole, at - (at - shown[0]) * factor, at + (shown[1] - at) * factor, step);
}

interface Shown {
  times: readonly number[];
  series: readonly ChartSeries[];
}

/** The values at the times of a part, and those to draw: one more at either side, so that lines go on to the edges. */
export function visibleIn(
  times: readonly number[],
  series: readonly ChartSeries[],
  part: Span | null,
): Shown & { drawn: Shown } {
  if (!part) return { times, series, drawn: { times, series } };
  const first = times.findIndex((time) => time >= part[0]);
  const after = times.findIndex((time) => time > part[1]);
  const [from, to] = [first < 0 ? times.length : first, after < 0 ? times.length : after];
  return { ...sliced(times, series, from, to), drawn: sliced(times, series, Math.max(0, from - 1), to + 1) };
}

function sliced(times: readonly number[], series: readonly ChartSeries[], from: number, to: number): Shown {
  return {
    times: times.slice(from, to),
    series: series.map((one) => ({
      ...one,
      values: one.values.slice(from, to),
      ...(one.texts && { texts: one.texts.slice(from, to) }),
    })),
  };
}
