import { expect, test } from 'vitest';

import { MASK } from '@/lib/format/mask';

import { faultOf, isHidden, type Row, rowsOf, sentOf } from './rows';

const row = (more: Partial<Row> = {}): Row => ({ id: 0, name: 'A', kind: 'value', value: 'x', ...more });

test('what is shown goes back as it came', () => {
  const rows = rowsOf(JSON.stringify({ LEVEL: 'info', API_KEY: MASK }), { LLM_KEY: 'LLM' });
  expect(rows.map(({ name, kind }) => [name, kind])).toEqual([['LEVEL', 'value'], ['API_KEY', 'value'], ['LLM_KEY', 'secret']]);
  expect(sentOf(rows)).toEqual({ env: JSON.stringify({ LEVEL: 'info', API_KEY: MASK }), secretEnv: { LLM_KEY: 'LLM' } });
});

test('a service without an environment has no rows', () => {
  expect(rowsOf(null, {})).toEqual([]);
});

test.each([
  [row({ name: '' }), 'name'], [row({ name: 'A-B' }), 'name'], [row({ kind: 'secret', value: '' }), 'secret'], [row({ value: '' }), null],
])('%o is %s', (one, fault) => {
  expect(faultOf(one, [one])).toBe(fault);
});

test('one name stands once', () => {
  const rows = [row(), row({ id: 1, kind: 'secret' })];
  expect(rows.map((one) => faultOf(one, rows))).toEqual(['twice', 'twice']);
});

test('a value with a mask is hidden, a secret is named', () => {
  expect([row({ value: `postgresql://u:${MASK}@h/x` }), row({ kind: 'secret', value: 'LLM' })].map(isHidden)).toEqual([true, false]);
});
