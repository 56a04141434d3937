import { useAddressParams } from '@/lib/useAddressParams';

export const CHOICES = ['7', '30', '90', 'month', 'custom'] as const;
export type Choice = (typeof CHOICES)[number];

/** Days as `2026-11-24`, both included, in UTC like all billing reports. */
export interface Period {
  choice: Choice;
  first: string;
  last: string;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const STANDARD: Choice = '30';

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
const shifted = (day: string, by: number): string => dayOf(new Date(Date.parse(day) + by * DAY_MS));
const isDay = (text: string | null): text is string =>
  !!text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && shifted(text, 0) === text;

/** What the address says; what it says wrongly is the last 30 days. */
export function readPeriod(params: URLSearchParams, now: Date): Period {
  const today = dayOf(now);
  const choice = CHOICES.find((known) => known === params.get('period')) ?? STANDARD;
  if (choice === 'month') {
    const month = params.get('month') ?? '';
    return { choice, ...monthOf(MONTH.test(month) && month <= today.slice(0, 7) ? month : today.slice(0, 7), today) };
  }
  if (choice === 'custom') {
    const [first, last] = [params.get('first'), params.get('last')];
    if (isDay(first) && isDay(last) && faultOf(first, last) === null) return { choice, first, last };
    return { choice, first: shifted(today, 1 - Number(STANDARD)), last: today };
  }
  return { choice, first: shifted(today, 1 - Number(choice)), last: today };
}

/** The current month ends today. */
function monthOf(month: string, today: string): { first: string; last: string } {
  const first = `${month}-01`;
  const next = `${movedMonth(month, 1)}-01`;
  const last = shifted(next, -1);
  return { first, last: last > today ? today : last };
}

export function movedMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** The text key of what is wrong with chosen days. */
export function faultOf(first: string, last: string): 'order' | 'long' | null {
  if (first > last) return 'order';
  return (Date.parse(last) - Date.parse(first)) / DAY_MS >= MOST_DAYS ? 'long' : null;
}

/** All days of the period. */
export function daysOf({ first, last }: Pick<Period, 'first' | 'last'>): string[] {
  const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return Array.from({ length }, (_, index) => shifted(first, index));
}

/** Sets parameters of the address, and removes those that are null; the open entries belong to another view. */
export function useParams() {
  const [params, setParams] = useAddressParams();
  const change = (changes: Record<string, string | null>, replace = false) =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now);
        for (const [name, value] of Object.entries({ behind: null, day: null, page: null, ...changes })) {
          if (value === null) changed.delete(name);
          else changed.set(name, value);
        }
        return changed;
      },
      { replace, preventScrollReset: true },
    );
  return [params, change] as const;
}
