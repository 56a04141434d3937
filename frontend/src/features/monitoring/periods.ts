/** The periods that people choose from: their names, lengths in minutes, and the seconds between two points. */
export const PERIODS = [
  { name: [5, 'minute'], minutes: 5, step: 10 },
  { name: [15, 'minute'], minutes: 15, step: 10 },
  { name: [30, 'minute'], minutes: 30, step: 20 },
  { name: [1, 'hour'], minutes: 60, step: 30 },
  { name: [3, 'hour'], minutes: 180, step: 60 },
  { name: [6, 'hour'], minutes: 360, step: 120 },
  { name: [12, 'hour'], minutes: 720, step: 240 },
  { name: [1, 'day'], minutes: 1440, step: 300 },
  { name: [2, 'day'], minutes: 2880, step: 900 },
  { name: [7, 'day'], minutes: 10_080, step: 3600 },
  { name: [1, 'month'], minutes: 43_200, step: 10_800 },
  { name: [6, 'month'], minutes: 262_800, step: 86_400 },
  { name: [1, 'year'], minutes: 525_600, step: 86_400 },
] as const;

export type Period = (typeof PERIODS)[number];

const DEFAULT = 60;
const LIVE = 60;
const LIVE_MS = 10_000;
const CALM_MS = 60_000;

/** The period of an address; one hour if it names none. */
export const periodOf = (text: string | null): Period =>
  PERIODS.find(({ minutes }) => String(minutes) === text) ??
  PERIODS.find(({ minutes }) => minutes === DEFAULT) ??
  PERIODS[0];

/** Short periods are live. */
export const pollingOf = ({ minutes }: Period): number => (minutes <= LIVE ? LIVE_MS : CALM_MS);

/** The name in the language of the page: `5 minutes`, `1 month`. */
export const nameOf = ({ name: [count, unit] }: Period, language: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
