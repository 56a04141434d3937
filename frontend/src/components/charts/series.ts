/** Values of one name at the times of a chart; null where there is none. */
export interface ChartSeries {
  /** Unique in its chart; it also chooses the colour, unless `slot` does. */
  name: string;
  /** One of the colours, from 0: for names that have the same colour in all charts and languages. */
  slot?: number;
  values: readonly (number | null)[];
  /** Exact texts of the values, where a number cannot say them (amounts of money). */
  texts?: readonly string[];
  /** For the remainder of many series: grey instead of a colour of its own. */
  rest?: boolean;
  /** The area below the line is filled. */
  area?: boolean;
}

const COLOURS = 8;
const REST = 'var(--mlp-chart-rest)';

/**
 * The colour of each name. A name takes the colour of its hash, so it has the same one in every chart, whatever the order and the
 * number of series. Of two names with one hash the later in the alphabet takes the next free colour.
 */
export function coloursOf(series: readonly Pick<ChartSeries, 'name' | 'rest' | 'slot'>[]): Map<string, string> {
  const colours = new Map<string, string>();
  const taken = new Set(series.flatMap(({ slot }) => (slot === undefined ? [] : [slot])));
  for (const { name, rest, slot: fixed } of series.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (rest) {
      colours.set(name, REST);
      continue;
    }
    if (fixed !== undefined) {
      colours.set(name, `var(--mlp-chart-${fixed + 1})`);
      continue;
    }
    let slot = hash(name) % COLOURS;
    while (taken.has(slot) && taken.size < COLOURS) slot = (slot + 1) % COLOURS;
    taken.add(slot);
    colours.set(name, `var(--mlp-chart-${slot + 1})`);
  }
  return colours;
}

/** FNV-1a. */
function hash(name: string): number {
  let value = 0x81_1c_9d_c5;
  for (const letter of name) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01_00_01_93);
  return value >>> 0;
}

/** Adds times without values where more than one and a half steps are missing, so that a line is interrupted there. */
export function withGaps(
  times: readonly number[],
  series: readonly ChartSeries[],
  step: number,
): { times: number[]; series: ChartSeries[] } {
  const places: (number | null)[] = [];
  const all: number[] = [];
  times.forEach((time, index) => {
    const before = times[index - 1];
    if (before !== undefined && time - before > step * 1.5) {
      places.push(null);
      all.push(before + step);
    }
    places.push(index);
    all.push(time);
  });
  const spread = <Value, Missing>(values: readonly Value[], missing: Missing) =>
    places.map((place) => (place === null ? missing : (values[place] ?? missing)));
  return {
    times: all,
    series: series.map((one) => ({
      ...one,
      values: spread(one.values, null),
      ...(one.texts && { texts: spread(one.texts, '') }),
    })),
  };
}

export function isEmpty(times: readonly number[], series: readonly ChartSeries[]): boolean {
  return times.length === 0 || series.every(({ values }) => values.every((value) => value === null));
}
