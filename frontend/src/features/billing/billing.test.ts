import { describe, expect, test } from 'vitest';

import type { Statement } from '@/api/generated/billing.gen';

import { ALL, behindOf, readBehind } from './behind';
import { csvOf } from './csv';
import { amountOf, decimalsOf, formatExact, nanoOf, sumOf } from './exact';
import { byDay, chartOf, namesOf } from './items';
import { movedMonth, readPeriod } from './period';

const NOW = new Date('2026-11-24T01:00:00Z');
const TEXTS = { noKey: 'no key', hosting: 'hosting', rest: 'others', key: (id: number) => `key ${id}` };
const item = (id: number, name: string, amount: string, more: object = {}) => ({
  kind: 'MODEL' as const,
  id,
  accountId: 2,
  accountName: 'Acme',
  name,
  callsCount: 1,
  amount,
  ...more,
});

function statement(items: Statement['items'], days: Statement['days']): Statement {
  const change = { opening: '0', calls: '0', hosting: '0', refills: '0', bonuses: '0', fromIncome: '0', closing: '0' };
  return {
    direction: 'SPENDING',
    split: 'SERVICE',
    first: '2026-11-01',
    last: '2026-11-03',
    timeZone: 'UTC',
    currency: 'RUBLE',
    total: '0',
    items,
    days,
    balanceChange: change,
  };
}

describe('exact amounts', () => {
  test.each([
    ['0.1', 100_000_000n],
    ['-12', -12_000_000_000n],
    ['90071992547409.930000001', 90_071_992_547_409_930_000_001n],
    ['0', 0n],
  ])('%s is a whole number of billionths, and back', (text, nano) => {
    expect(nanoOf(text)).toBe(nano);
    expect(amountOf(nano)).toBe(text);
  });

  test('sums are not those of floats', () => {
    expect(sumOf(['0.1', '0.2'])).toBe('0.3');
    expect(sumOf(['9007199254740993', '0.000000001'])).toBe('9007199254740993.000000001');
  });

  test('all figures have the decimals of the longest', () => {
    expect(decimalsOf(['1', '0.5'])).toBe(2);
    expect(decimalsOf(['1', '0.12345'])).toBe(5);
    expect(formatExact('1234567.5', 3, 'ru')).toBe('1\u202f234\u202f567,500');
    expect(formatExact('9007199254740993.000000001', 9, 'en').replaceAll('\u202f', '')).toBe(
      '9007199254740993.000000001',
    );
  });
});

describe('the period', () => {
  test.each([
    ['', '30', '2026-10-26', '2026-11-24'],
    ['period=7', '7', '2026-11-18', '2026-11-24'],
    ['period=month', 'month', '2026-11-01', '2026-11-24'],
    ['period=month&month=2028-02', 'month', '2026-11-01', '2026-11-24'],
    ['period=month&month=2024-02', 'month', '2024-02-01', '2024-02-29'],
    ['period=custom&first=2026-01-01&last=2026-01-31', 'custom', '2026-01-01', '2026-01-31'],
    ['period=custom&first=2026-02-30&last=2026-03-01', 'custom', '2026-10-26', '2026-11-24'],
    ['period=custom&first=2026-03-02&last=2026-03-01', 'custom', '2026-10-26', '2026-11-24'],
    ['period=custom&first=2020-01-01&last=2026-03-01', 'custom', '2026-10-26', '2026-11-24'],
    ['period=8', '30', '2026-10-26', '2026-11-24'],
  ])('"%s" is %s: %s to %s', (query, choice, first, last) => {
    expect(readPeriod(new URLSearchParams(query), NOW)).toEqual({ choice, first, last });
  });

  test('months follow each other over the years', () => {
    expect([movedMonth('2026-01', -1), movedMonth('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
  });
});

describe('a chart of a statement', () => {
  const items = Array.from({ length: 10 }, (_, index) => item(index + 1, `m${index}`, '1'));
  const days = items.map((_, index) => ({ day: '2026-11-02', item: index, callsCount: 1, amount: '0.1' }));

  test('has a bar for each day, and one for the smaller items together', () => {
    const given = statement(items, days);
    const chart = chartOf(given, namesOf(given, TEXTS), 'others', 2, 'en');
    expect(chart.times).toEqual([1, 2, 3].map((day) => Date.UTC(2026, 10, day) / 1000));
    expect(chart.series.map(({ name }) => name)).toEqual([
      'Acme/m0',
      'Acme/m1',
      'Acme/m2',
      'Acme/m3',
      'Acme/m4',
      'Acme/m5',
      'Acme/m6',
      'others',
    ]);
    expect(chart.series.at(-1)).toMatchObject({ rest: true, texts: ['0.00', '0.30', '0.00'] });
    expect(chart.totals).toEqual(['0.00', '1.00', '0.00']);
  });

  test('nothing is an empty chart', () => {
    expect(chartOf(statement([], []), [], 'others', 2, 'en').times).toEqual([]);
  });

  test('days without anything are rows too', () => {
    expect(byDay(statement(items, days))).toEqual([
      { day: '2026-11-01', calls: 0, amount: '0' },
      { day: '2026-11-02', calls: 10, amount: '1' },
      { day: '2026-11-03', calls: 0, amount: '0' },
    ]);
  });

  test('items of one name are told apart', () => {
    expect(
      namesOf(
        statement([item(1, 'a', '1'), item(2, 'a', '1'), item(0, '', '1', { kind: 'KEY', id: null })], []),
        TEXTS,
      ),
    ).toEqual(['Acme/a', 'Acme/a (2)', 'no key']);
  });
});

describe('the file', () => {
  const given = statement(
    [item(1, 'a', '0.5'), item(2, 'b', '1')],
    [{ day: '2026-11-02', item: 0, callsCount: 2, amount: '0.5' }],
  );
  test('is what spreadsheets of the language expect', () => {
    expect(csvOf(given, ['Acme/a'], ['Day', 'Name'], 'en')).toBe('\uFEFFDay,Name\r\n2026-11-02,Acme/a,MODEL,2,0.5\r\n');
    expect(csvOf(given, ['Acme/a'], ['День', 'Название'], 'ru')).toBe(
      '\uFEFFДень;Название\r\n2026-11-02;Acme/a;MODEL;2;0,5\r\n',
    );
  });

  test.each([
    ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
    ['+1', "'+1"],
    ['a,b', '"a,b"'],
    ['@x', "'@x"],
  ])('a name like %s runs nothing', (name, cell) => {
    expect(csvOf(given, [name], [], 'en')).toContain(`2026-11-02,${cell},MODEL`);
  });
});

describe('what is behind a number', () => {
  test.each([
    [item(7, 'a', '1'), { calls: { modelId: 7 }, rents: null }],
    [item(0, '', '1', { kind: 'KEY', id: null }), { calls: { keyId: 0 }, rents: null }],
    [item(3, 'x', '1', { kind: 'ACCOUNT' }), { calls: { payerAccountId: 3 }, rents: { payerAccountId: 3 } }],
    [
      item(0, 'gpu.a.1', '1', { kind: 'SERVER', id: null }),
      { calls: null, rents: { sourceType: 'SERVER', sourceName: 'gpu.a.1', ownerId: 2 } },
    ],
    [item(0, '', '1', { kind: 'HOSTING', id: null }), { calls: null, rents: {} }],
  ])('%j', (one, behind) => {
    expect(readBehind(behindOf(one as Statement['items'][number]))).toEqual(behind);
  });

  test('the rest has nothing of its own, all has both, and an invented address has nothing', () => {
    expect(behindOf(item(0, '', '1', { kind: 'REST' }) as unknown as Statement['items'][number])).toBeNull();
    expect(readBehind(ALL)).toEqual({ calls: {}, rents: {} });
    for (const text of [null, '', 'MODEL', 'MODEL.x', 'EVIL.1', 'MODEL.99999999999999999999'])
      expect(readBehind(text)).toBeNull();
  });
});
