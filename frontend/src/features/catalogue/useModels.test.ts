import { expect, test } from 'vitest';

import { inOrder, readFilters, withFilter } from './useModels';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('the address says what is listed', () => {
  expect(read('search=ner&TaskType=tts&language=ru&sort=name&page=3')).toEqual({
    search: 'ner',
    taskType: 'tts',
    language: 'ru',
    sort: 'name',
    page: 3,
  });
});

test.each(['0', '-1', 'x', '1.5', ''])('page %s is the first one', (page) => {
  expect(read(`page=${page}`).page).toBe(1);
});

test('a change of a filter leads back to the first page', () => {
  expect(withFilter(new URLSearchParams('page=4&TaskType=tts'), 'search', 'a').toString()).toBe(
    'TaskType=tts&search=a',
  );
  expect(withFilter(new URLSearchParams('page=4'), 'page', '5').toString()).toBe('page=5');
  expect(withFilter(new URLSearchParams('search=a'), 'search', null).toString()).toBe('');
});

test('an order that does not exist is the newest first', () => {
  expect(read('sort=price;drop').sort).toBe('new');
});

test('what fits no kind comes last, the others stay in their order', () => {
  expect(
    inOrder([{ taskTypeName: 'custom' }, { taskTypeName: 'tts' }, { taskTypeName: 'ner' }]).map(
      ({ taskTypeName }) => taskTypeName,
    ),
  ).toEqual(['tts', 'ner', 'custom']);
});
