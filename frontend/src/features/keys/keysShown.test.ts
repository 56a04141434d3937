import { expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { keysShown } from './keysShown';

const DAY = 86_400_000;
const key = (number: number) => ({ name: `key ${number}`, token: `5.${number}.***`, creationDate: new Date(number * DAY).toISOString() }) as AccessTokenData;
const KEYS = Array.from({ length: 120 }, (_, index) => key(index + 1));
const names = (search: string, page: number) => keysShown(KEYS, search, page).shown.map(({ name }) => name);

test('the newest are first, fifty a page', () => {
  expect(names('', 1).slice(0, 2)).toEqual(['key 120', 'key 119']);
  expect(names('', 3)).toHaveLength(20);
});

test.each([[0, 1], [-3, 1], [Number.NaN, 1], [1.5, 1], [9, 3]])('page %d is page %d', (asked, page) => {
  expect(keysShown(KEYS, '', asked)).toMatchObject({ page, pages: 3 });
});

test('names are searched whatever their case', () => {
  expect(names('KEY 12', 1)).toEqual(['key 120', 'key 12']);
  expect(keysShown(KEYS, 'nothing', 4)).toEqual({ shown: [], page: 1, pages: 1 });
});
