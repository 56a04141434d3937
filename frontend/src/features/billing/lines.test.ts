import { expect, test } from 'vitest';

import { byHosting, byModel, byPayer, bySpending } from './lines';
import { moved, nameOfPeriod } from './periods';

test('a statement keeps the total that the books say', () => {
  const row = { date: '2026-11-21T12:00:00Z', sourceType: 'MODEL' as const, modelAccountId: 1, modelId: 2, name: 'ner', callsCount: 3, units: 3, reportedUnits: 3, amountCurrency: 0.5 };
  expect(bySpending({ total: 0.55, items: [row] })).toMatchObject({ total: 0.55, rows: [{ name: 'ner', calls: 3, amount: 0.5 }] });
  expect(byHosting({ total: 7, items: [{ date: row.date, sourceType: 'SERVER', sourceName: 's', ownerId: 1, amountCurrency: 7 }] })).toMatchObject({ total: 7, rows: [{ kind: 'hostingOf.SERVER', calls: null }] });
});

test('reports add up what they list', () => {
  expect(byModel([{ modelId: 1, modelName: 'a', callsCount: 1, amountCurrency: 2 }, { modelId: 2, modelName: 'b', callsCount: 1, amountCurrency: 3 }]).total).toBe(5);
  expect(byPayer([{ accountId: 1, accountName: 'a', callsCount: 4, amountCurrency: 2 }])).toMatchObject({ total: 2, rows: [{ name: 'a', calls: 4 }] });
});

test('time goes by periods', () => {
  const moment = new Date(2026, 0, 31, 12);
  expect(nameOfPeriod(moved(moment, 'MONTH', 1), 'MONTH', 'en')).toBe('Feb 2026');
  expect(nameOfPeriod(moved(moment, 'YEAR', -1), 'YEAR', 'en')).toBe('2025');
  expect(nameOfPeriod(moved(moment, 'DAY', 1), 'DAY', 'en')).toBe('Feb 1');
  expect(nameOfPeriod(moved(moment, 'HOUR', -1), 'HOUR', 'en')).toBe('Jan 31, 11:00');
});
