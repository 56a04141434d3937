import type { Statement, StatementItem } from '@/api/generated/billing.gen';
import type { ChartSeries } from '@/components/charts/series';

import { amountOf, formatExact, nanoOf, sumOf } from './exact';
import { daysOf } from './period';

/** Colours that people can tell apart; smaller items are one bar. */
const SHOWN = 7;

export interface Texts {
  noKey: string;
  hosting: string;
  rest: string;
  key: (id: number) => string;
}

/** Names of items, each only once, since a chart identifies its series by them. */
export function namesOf({ items, direction }: Pick<Statement, 'items' | 'direction'>, texts: Texts): string[] {
  const names = items.map((item) => nameOf(item, direction === 'INCOME', texts));
  return names.map((name, index) => (names.indexOf(name) === index ? name : `${name} (${items[index]?.id ?? index})`));
}

function nameOf({ kind, id, name, accountName }: StatementItem, own: boolean, texts: Texts): string {
  switch (kind) {
    case 'KEY':
      return id === null ? texts.noKey : texts.key(id);
    case 'HOSTING':
      return texts.hosting;
    case 'REST':
      return texts.rest;
    case 'ACCOUNT':
      return name;
    case 'MODEL':
    case 'SERVER':
    case 'QUOTA':
    case 'RESOURCE_GROUP':
      return own || !accountName ? name : `${accountName}/${name}`;
  }
}

export interface DayRow {
  day: string;
  calls: number;
  amount: string;
}

/** The sum of each day of the period, also of days without anything. */
export function byDay(statement: Pick<Statement, 'first' | 'last' | 'days'>): DayRow[] {
  return daysOf(statement).map((day) => {
    const own = statement.days.filter((one) => one.day === day);
    return {
      day,
      calls: own.reduce((sum, { callsCount }) => sum + callsCount, 0),
      amount: sumOf(own.map(({ amount }) => amount)),
    };
  });
}

/** Bars by day. Numbers are only for drawing; the texts are exact. */
export function chartOf(
  statement: Statement,
  names: readonly string[],
  rest: string,
  decimals: number,
  language: string,
) {
  const days = daysOf(statement);
  const place = new Map(days.map((day, index) => [day, index]));
  const shown = statement.items.length > SHOWN + 1 ? SHOWN : statement.items.length;
  const sums = Array.from({ length: shown + (shown < statement.items.length ? 1 : 0) }, () => days.map(() => 0n));
  for (const { item, day, amount } of statement.days) {
    const own = sums[Math.min(item, shown)];
    const index = place.get(day);
    if (own && index !== undefined) own[index] = (own[index] ?? 0n) + nanoOf(amount);
  }
  const text = (nano: bigint) => formatExact(amountOf(nano), decimals, language);
  const series: ChartSeries[] = sums.map((nanos, index) => {
    const remainder = index === shown || statement.items[index]?.kind === 'REST';
    return {
      name: index === shown ? rest : (names[index] ?? ''),
      values: nanos.map((nano) => Number(nano) / 1e9),
      texts: nanos.map(text),
      ...(remainder && { rest: true }),
    };
  });
  return {
    times: statement.days.length ? days.map((day) => Date.parse(day) / 1000) : [],
    series,
    totals: days.map((_, index) => text(sums.reduce((sum, nanos) => sum + (nanos[index] ?? 0n), 0n))),
  };
}
