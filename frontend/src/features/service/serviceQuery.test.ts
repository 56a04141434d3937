import { expect, test } from 'vitest';

import { readListState } from '@/components/list/useListState';

import { FILTERS, queryOf, SORT } from './serviceQuery';

const read = (query: string) => readListState(new URLSearchParams(query), { filters: FILTERS, sort: SORT });
const asked = (query: string) => queryOf(read(query).filters);

const ALL_OWN = {
  onlyMy: true,
  onlyOthers: false,
  onlyPublic: false,
  onlyPrivate: false,
  onlyRestricted: false,
  taskType: null,
  groupId: null,
};

test("an address without filters lists one's own services, the newest first", () => {
  expect(asked('')).toEqual(ALL_OWN);
  expect(read('')).toMatchObject({ sort: { field: 'id', descending: true }, page: 1, narrowed: false });
});

test('the address says what is listed; group 0 are services without one', () => {
  expect(asked('TaskType=ner&group=0&publicity=restricted&ownership=others')).toEqual({
    ...ALL_OWN,
    onlyMy: false,
    onlyOthers: true,
    onlyRestricted: true,
    taskType: 'ner',
    groupId: 0,
  });
});

test("services of everybody are neither only one's own nor only those of others", () => {
  expect(asked('ownership=all')).toMatchObject({ onlyMy: false, onlyOthers: false });
});

test.each(['sort=password,asc', 'sort=name,up', 'sort=name', 'page=-1', 'ownership=nobody', 'publicity=x'])(
  'nonsense in the address (%s) counts as nothing',
  (query) => {
    expect(read(query)).toEqual(read(''));
  },
);

test('a group that is no number counts as none', () => {
  expect(asked('group=x')).toEqual(ALL_OWN);
});
