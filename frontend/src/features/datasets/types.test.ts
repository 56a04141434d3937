import { describe, expect, test } from 'vitest';

import { contentPath, faultOf, isTable, newDatasetPath } from './types';

describe('a file before it is sent', () => {
  test.each([
    ['faq.csv', 5, 'csv/faq', null],
    ['FAQ.XLSX', 5, 'xlsx/faq', null],
    ['faq.csv', 5, 'xlsx/faq', 'wrongFormat'],
    ['a.txt', 0, 'plain/texts', 'tooSmall'],
    ['a.jsonl', 1, 'json/lines', null],
  ] as const)('%s with %i bytes as %s: %s', (name, size, type, fault) => {
    expect(faultOf([{ name, size }], type, { limit: undefined, free: null })?.kind ?? null).toBe(fault);
  });
});

test('tables can be edited', () => {
  expect(['json/faq', 'json/tts-dictionary', 'json/any', 'json/lines'].map(isTable)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('addresses carry names safely', () => {
  expect(contentPath('acme', 7, 'csv/faq')).toBe('/api/mlpcore/account/acme/dataset/7/content?type=csv%2Ffaq');
  expect(newDatasetPath('acme', { name: 'a&b', description: '' })).toBe(
    '/api/mlpcore/account/acme/dataset/raw?name=a%26b',
  );
});
