import { kept, pageLanguage } from './language';

type Moment = string | number | Date;

const NBSP = '\u00a0';
const SECOND_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
const MONTH_S = 30.44 * DAY_S;
const YEAR_S = 365.25 * DAY_S;

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

const moments = kept((language) => new Intl.DateTimeFormat(language, { ...DATE, ...CLOCK }));
const days = kept((language) => new Intl.DateTimeFormat(language, DATE));
const exactMoments = kept(
  (language) => new Intl.DateTimeFormat(language, { ...DATE, ...CLOCK, timeZoneName: 'short' }),
);
const relative = kept((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));

/** What stands where there is no moment, or where an answer has one that is none: it must not take the page away. */
export const NO_MOMENT = '–';

export const isMoment = (moment: Moment): boolean => !Number.isNaN(new Date(moment).getTime());

/** With a format of a page's own. Intl itself throws at what is no moment, and with it goes the whole page. */
export const written = (format: Intl.DateTimeFormat, moment: Moment): string =>
  isMoment(moment) ? format.format(new Date(moment)) : NO_MOMENT;

/** From one moment to another; each that is none is a dash. */
export function writtenRange(format: Intl.DateTimeFormat, first: Moment, last: Moment): string {
  if (!isMoment(first) || !isMoment(last)) return `${written(format, first)} – ${written(format, last)}`;
  return format.formatRange(new Date(first), new Date(last));
}

export function formatMoment(moment: Moment, language = pageLanguage()): string {
  return written(moments(language), moment);
}

export function formatDay(moment: Moment, language = pageLanguage()): string {
  return written(days(language), moment);
}

/** With the time zone, to be compared with a log of another machine. */
export function formatExactMoment(moment: Moment, language = pageLanguage()): string {
  return written(exactMoments(language), moment);
}

const RELATIVE_UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', YEAR_S],
  ['month', MONTH_S],
  ['day', DAY_S],
  ['hour', HOUR_S],
  ['minute', MINUTE_S],
];

/** In the largest unit that gives at least one, rounded; less than a minute is "now". */
export function fromNow(moment: Moment, language = pageLanguage(), now = Date.now()): string {
  if (!isMoment(moment)) return NO_MOMENT;
  const seconds = Math.round((new Date(moment).getTime() - now) / SECOND_MS);
  for (const [unit, length] of RELATIVE_UNITS) {
    const amount = Math.round(seconds / length);
    if (Math.abs(amount) >= 1 && Math.abs(seconds) >= length) return relative(language).format(amount, unit);
  }
  return relative(language).format(0, 'second');
}

type DurationUnit = 'day' | 'hour' | 'minute' | 'second' | 'millisecond';
const DURATION_UNITS: readonly [DurationUnit, number][] = [
  ['day', DAY_S],
  ['hour', HOUR_S],
  ['minute', MINUTE_S],
  ['second', 1],
];

/** Symbols as engineers write them: the narrow ones, but "min", since "m" is a metre. Intl.DurationFormat has no such style. */
const units = kept((language) => (unit: DurationUnit, amount: number, digits: number) => {
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'minute' ? 'short' : 'narrow',
    maximumFractionDigits: digits,
  });
  const parts = format.formatToParts(amount);
  const symbol = parts.find(({ type }) => type === 'unit')?.value ?? '';
  const number = parts.filter(({ type }) => type !== 'unit' && type !== 'literal').map(({ value }) => value);
  return `${number.join('')}${NBSP}${symbol}`;
});

/** The two largest units, `1 h 12 min`. Less than a second is in milliseconds. Seconds and milliseconds have a decimal below ten. */
export function formatDuration(seconds: number, language = pageLanguage(), most = 2): string {
  const write = units(language);
  if (seconds <= 0) return write('second', 0, 0);
  const milliseconds = seconds * SECOND_MS;
  if (milliseconds < 10) return write('millisecond', Math.max(0.1, milliseconds), 1);
  if (seconds < 1) return write('millisecond', Math.round(milliseconds), 0);
  if (seconds < 10) return write('second', seconds, 1);
  let rest = Math.round(seconds);
  const shown: string[] = [];
  for (const [unit, length] of DURATION_UNITS) {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    if (amount > 0 && shown.length < most) shown.push(write(unit, amount, 0));
    else if (shown.length > 0) break;
  }
  return shown.join(' ');
}

/** A time that is only estimated: whole seconds, minutes or hours. */
export function formatRoughDuration(seconds: number, language = pageLanguage()): string {
  const whole = Math.max(1, Math.round(seconds));
  const minutes = Math.round(whole / MINUTE_S);
  const write = units(language);
  if (whole < MINUTE_S) return write('second', whole, 0);
  return minutes < MINUTE_S ? write('minute', minutes, 0) : write('hour', Math.round(whole / HOUR_S), 0);
}

export type TimeLeft = { unit: 'hours' | 'days'; count: number };

/** In whole hours, rounded up, if less than a day; otherwise in whole days. */
export function timeLeft(until: Date, now: Date): TimeLeft {
  const hours = (until.getTime() - now.getTime()) / (HOUR_S * SECOND_MS);
  return hours < 24
    ? { unit: 'hours', count: Math.max(0, Math.ceil(hours)) }
    : { unit: 'days', count: Math.floor(hours / 24) };
}
