import dayjs from 'dayjs';

import type { ReportPeriod } from '@/api/generated/billing.gen';

const UNIT = { HOUR: 'hour', DAY: 'day', MONTH: 'month', YEAR: 'year' } as const;
const SHOWN = { HOUR: 'DD.MM HH:00', DAY: 'DD.MM', MONTH: 'MMM YYYY', YEAR: 'YYYY' } as const;

/** The same position in the next or previous period. */
export function moved(moment: Date, period: ReportPeriod, by: 1 | -1): Date {
  return dayjs(moment).add(by, UNIT[period]).toDate();
}

export function nameOfPeriod(moment: Date, period: ReportPeriod, language: string): string {
  return dayjs(moment).locale(language).format(SHOWN[period]);
}
