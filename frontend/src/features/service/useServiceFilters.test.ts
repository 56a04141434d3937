import { expect, test } from 'vitest';

import { nextSort, readServiceFilters } from './useServiceFilters';

const read = (query: string) => readServiceFilters(new URLSearchParams(query));

test('an address without filters lists one\'s own services, the newest first', () => {
  expect(read('')).toEqual({ search: '', taskType: null, group: null, publicity: null, ownership: 'mine', sort: 'id,desc', page: 1 });
});

test('the address says what is listed; group 0 are services without one', () => {
  expect(read('search=a&TaskType=ner&group=0&publicity=restricted&ownership=others&sort=name,asc&page=2')).toEqual({
    search: 'a', taskType: 'ner', group: '0', publicity: 'restricted', ownership: 'others', sort: 'name,asc', page: 2,
  });
});

test.each(['sort=password,asc', 'sort=name,up', 'sort=name', 'group=x', 'page=-1', 'ownership=nobody', 'publicity=x'])('nonsense in the address (%s) counts as nothing', (query) => {
  expect(read(query)).toEqual(read(''));
});

test('a column sorts upwards, then downwards', () => {
  expect([nextSort('id,desc', 'name'), nextSort('name,asc', 'name'), nextSort('name,desc', 'name')]).toEqual(['name,asc', 'name,desc', 'name,asc']);
});
