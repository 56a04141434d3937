import { expect, test } from 'vitest';

import { MASK } from '@/lib/format/mask';

import { faultOf, isHidden, isReadable, readRows, refusedOf, type Row, rowsOf, sentOf, writeRows } from './rows';

const row = (more: Partial<Row> = {}): Row => ({ id: 0, name: 'A', kind: 'value', value: 'x', ...more });

test('what is shown goes back as it came', () => {
  const rows = rowsOf(JSON.stringify({ LEVEL: 'info', API_KEY: MASK }), { LLM_KEY: 'LLM' });
  expect(rows.map(({ name, kind }) => [name, kind])).toEqual([
    ['LEVEL', 'value'],
    ['API_KEY', 'value'],
    ['LLM_KEY', 'secret'],
  ]);
  expect(sentOf(rows)).toEqual({
    env: JSON.stringify({ LEVEL: 'info', API_KEY: MASK }),
    secretEnv: { LLM_KEY: 'LLM' },
  });
});

test('a service without an environment has no rows', () => {
  expect(rowsOf(null, {})).toEqual([]);
});

test.each(['LEVEL=info', '[1]', '"text"', '{'])('%s is no environment, and no row is made of it', (env) => {
  expect(isReadable(env)).toBe(false);
  expect(rowsOf(env, { LLM_KEY: 'LLM' })).toHaveLength(1);
});

test.each([
  [row({ name: '' }), 'name'],
  [row({ name: 'A-B' }), 'name'],
  [row({ kind: 'secret', value: '' }), 'secret'],
  [row({ value: '' }), null],
])('%o is %s', (one, fault) => {
  expect(faultOf(one, [one])).toBe(fault);
});

test('one name stands once', () => {
  const rows = [row(), row({ id: 1, kind: 'secret' })];
  expect(rows.map((one) => faultOf(one, rows))).toEqual(['twice', 'twice']);
});

test('a value with a mask is hidden, a secret is named', () => {
  expect([row({ value: `postgresql://u:${MASK}@h/x` }), row({ kind: 'secret', value: 'LLM' })].map(isHidden)).toEqual([
    true,
    false,
  ]);
});

test('the list of all rows comes back as it went, also with a name twice', () => {
  const rows = [row(), row({ id: 1, value: 'y' }), row({ id: 2, name: '', kind: 'secret', value: '' })];
  expect(readRows(JSON.parse(JSON.stringify(writeRows(rows))))).toEqual(rows);
});

test.each([
  {},
  [1],
  [{ name: 'A' }],
  [{ name: 'A', value: 1 }],
  [{ name: 'A', value: 'x', secret: 'S' }],
  [{ name: 'A', value: 'x', more: 1 }],
  [{ value: 'x' }],
])('%j is no list of rows', (document) => {
  expect(readRows(document)).toBeNull();
});

test('errors of the server belong to the rows that they name', () => {
  const rows = [row(), row({ id: 1, name: 'B', kind: 'secret', value: 'S' })];
  expect(refusedOf({ env: 'A is set by the platform', 'secretEnv.B': 'not found' }, rows)).toEqual({
    rows: { 0: 'env', 1: 'secretEnv.B' },
    rest: false,
  });
  expect(refusedOf({ env: 'must be the text of a JSON object', image: 'not found' }, rows)).toEqual({
    rows: {},
    rest: true,
  });
});
