import { expect, test } from 'vitest';

import { listPart } from './listPart';
import { type ListOptions, readListState } from './useListState';

const OPTIONS: ListOptions<'kind' | 'group'> = {
  filters: { kind: ['a', 'b'], group: null },
  sort: { fields: ['name', 'age'], initial: { field: 'age', descending: true } },
};
const read = (query: string, options = OPTIONS) => readListState(new URLSearchParams(query), options);

test('an address without parameters is the first page, not narrowed, in the first order', () => {
  expect(read('')).toEqual({
    search: '',
    filters: { kind: null, group: null },
    sort: { field: 'age', descending: true },
    page: 1,
    narrowed: false,
  });
});

test('the address says what is listed', () => {
  expect(read('search=x&kind=b&group=7&sort=name,asc&page=3')).toEqual({
    search: 'x',
    filters: { kind: 'b', group: '7' },
    sort: { field: 'name', descending: false },
    page: 3,
    narrowed: true,
  });
});

test.each(['kind=c', 'sort=password,asc', 'sort=name,up', 'sort=name', 'page=-1', 'page=1.5', 'page=x', 'search='])(
  'nonsense in the address (%s) counts as nothing',
  (query) => {
    expect(read(query)).toEqual(read(''));
  },
);

test('two lists of a page have parameters of their own', () => {
  expect(read('people.search=x&search=y', { ...OPTIONS, scope: 'people' }).search).toBe('x');
});

const ROWS = Array.from({ length: 120 }, (_, index) => ({ name: `Row ${index + 1}`, age: index }));
const HOW = {
  text: ({ name }: { name: string }) => name,
  orders: { age: (one: { age: number }, other: { age: number }) => one.age - other.age },
};
const part = (search: string, page: number, descending = false) =>
  listPart(ROWS, { search, sort: { field: 'age', descending }, page }, HOW);

test('a part is a page of the rows found, in order', () => {
  expect(
    part('', 1, true)
      .rows.slice(0, 2)
      .map(({ name }) => name),
  ).toEqual(['Row 120', 'Row 119']);
  expect(part('row 12', 1).rows.map(({ name }) => name)).toEqual(['Row 12', 'Row 120']);
  expect(part('', 3)).toMatchObject({ page: 3, pages: 3, total: 120 });
});

test('a page that does not exist is the last one', () => {
  expect(part('', 9)).toMatchObject({ page: 3, pages: 3 });
  expect(part('nothing', 4)).toEqual({ rows: [], page: 1, pages: 1, total: 0 });
});
