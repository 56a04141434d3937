import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { written } from '@/lib/format/time';

const DAY = 86_400;
const MINUTE = 60;

/** Texts of axes, tooltips and tables, in the language of the page. Times are seconds since 1970. */
export interface ChartFormats {
  /** A value with up to three digits after the point. */
  value: (value: number) => string;
  /** A value of an axis, short: `1.2K`, `1,2 тыс.` */
  axis: (value: number) => string;
  /** A time of an axis whose labels are `step` seconds apart. */
  time: (time: number, step: number) => string;
  /** A moment in a tooltip or table; a day without the time for days. */
  moment: (time: number, days: boolean) => string;
}

/** `timeZone` is the browser's by default. */
export function formatsOf(language: string, timeZone?: string): ChartFormats {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 2 });
  const at = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, ...(timeZone && { timeZone }) });
  const day = at({ day: 'numeric', month: 'short' });
  const clock = at({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const seconds = at({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const date = at({ day: 'numeric', month: 'long', year: 'numeric', weekday: 'short' });
  const moment = at({
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return {
    value: (value) => number.format(value),
    axis: (value) => short.format(value),
    time: (time, step) => {
      const then = time * 1000;
      if (step >= DAY) return written(day, then);
      if (step < MINUTE) return written(seconds, then);
      const text = written(clock, then);
      return text === '00:00' ? written(day, then) : text;
    },
    moment: (time, days) => written(days ? date : moment, time * 1000),
  };
}

export function useFormats(timeZone?: string): ChartFormats {
  const { i18n } = useTranslation();
  return useMemo(() => formatsOf(i18n.language, timeZone), [i18n.language, timeZone]);
}
