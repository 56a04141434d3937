/** Round values of an axis from `min` to `max`. */
export interface Scale {
  min: number;
  max: number;
  ticks: number[];
}

/** A scale with about `count` steps of 1, 2 or 5 times a power of ten; with `binary` of a power of two, for bytes. It contains zero. */
export function scaleOf(values: Iterable<number | null>, count = 4, binary = false): Scale {
  let [low, high] = [0, 0];
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === high) high = 1;
  const step = stepOf((high - low) / count, binary);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => rounded((first + index) * step));
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks };
}

function stepOf(rough: number, binary: boolean): number {
  if (binary) return 2 ** Math.ceil(Math.log2(rough));
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  return times * power;
}

/** 3 * 0.1 is 0.30000000000000004. */
const rounded = (value: number) => Number(value.toPrecision(12));

/** Every n-th index, so that labels of the width `label` fit into `width`. */
export function labelled(length: number, width: number, label: number): number[] {
  const every = Math.max(1, Math.ceil(length / Math.max(1, Math.floor(width / label))));
  return Array.from({ length }, (_, index) => index).filter((index) => index % every === 0);
}

/** The index of the time that is closest; with `start` of the last one that is not later. -1 if there is none. */
export function indexAt(times: readonly number[], time: number, start = false): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  const [earlier, later] = [times[before], times[low]];
  if (start || later === undefined) return before;
  return earlier === undefined || later - time < time - earlier ? low : before;
}

/** Pixels of a character of an axis, on average: labels are of figures, spaces and short units. */
const CHARACTER = 6.6;
/** Between the labels and the plot, and before them. */
const BESIDE = 14;
const NARROWEST = 60;

export const labelWidth = (text: string) => text.length * CHARACTER;

/** The width of a vertical axis that cuts none of its labels. */
export const axisWidth = (labels: readonly string[]) =>
  Math.ceil(Math.max(NARROWEST, ...labels.map((label) => labelWidth(label) + BESIDE)));

/** Labels of times between `from` and `to` on `width` pixels; empty where one would be cut at an edge. */
export function uncut(
  times: readonly number[],
  labels: readonly string[],
  { from, to, width, left, right }: { from: number; to: number; width: number; left: number; right: number },
): string[] {
  return labels.map((label, index) => {
    const [at, half] = [(((times[index] ?? 0) - from) / Math.max(1, to - from)) * width, labelWidth(label) / 2];
    return at - half < -left || at + half > width + right ? '' : label;
  });
}
