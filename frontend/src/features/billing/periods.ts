import dayjs from 'dayjs';

import type { ReportPeriod } from '@/api/generated/billing.gen';

const UNIT = { HOUR: 'hour', DAY: 'day', MONTH: 'month', YEAR: 'year' } as const;
const SHOWN: Record<ReportPeriod, Intl.DateTimeFormatOptions> = {
  HOUR: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  DAY: { day: 'numeric', month: 'short' },
  MONTH: { month: 'short', year: 'numeric' },
  YEAR: { year: 'numeric' },
};

/** The same position in the next or previous period. */
export function moved(moment: Date, period: ReportPeriod, by: 1 | -1): Date {
  return dayjs(moment).add(by, UNIT[period]).toDate();
}

export function nameOfPeriod(moment: Date, period: ReportPeriod, language: string): string {
  const shown = new Date(moment);
  shown.setMinutes(0);
  return new Intl.DateTimeFormat(language, SHOWN[period]).format(shown);
}
