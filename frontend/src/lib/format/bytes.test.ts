import { expect, test } from 'vitest';

import { formatBytes } from './bytes';

test.each([
  [0, '0 B'],
  [1023, '1\u202f023 B'],
  [1536, '1.5 KiB'],
  [1023 * 1024, '1\u202f023 KiB'],
  [1.25 * 2 ** 20, '1.25 MiB'],
  [10 * 2 ** 30, '10 GiB'],
  [2 ** 62, '4\u202f096 PiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes, 'en').replace('\u00a0', ' ')).toBe(text);
});

test('numbers and units are written as the language does', () => {
  expect(formatBytes(1536, 'ru')).toBe('1,5\u00a0КиБ');
});
