import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime';

import 'dayjs/locale/ru';

dayjs.extend(relativeTime);

export const DAY = 'DD.MM';
export const MOMENT = 'DD.MM.YYYY HH:mm:ss';
export const CLOCK = 'HH:mm:ss';

export function formatMoment(moment: string | number | Date): string {
  return dayjs(moment).format(MOMENT);
}

export function fromNow(moment: string | number | Date, language: string): string {
  return dayjs(moment).locale(language).fromNow();
}

/** `1 h 12 min 5 s`, without parts that are zero. */
export function formatDuration(seconds: number, unit: { h: string; m: string; s: string }): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), unit.h],
    [Math.floor((whole % 3600) / 60), unit.m],
    [whole % 60, unit.s],
  ];
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, name]) => `${amount} ${name}`);
  return shown.length ? shown.join(' ') : `0 ${unit.s}`;
}

export type TimeLeft = { unit: 'hours' | 'days'; count: number };

/** In whole hours, rounded up, if less than a day; otherwise in whole days. */
export function timeLeft(until: Date, now: Date): TimeLeft {
  const hours = (until.getTime() - now.getTime()) / 3_600_000;
  return hours < 24 ? { unit: 'hours', count: Math.max(0, Math.ceil(hours)) } : { unit: 'days', count: Math.floor(hours / 24) };
}
