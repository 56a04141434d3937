import { expect, test } from 'vitest';

import { formatBytes } from './bytes';

test.each([
  [0, '0 B'],
  [1023, '1,020 B'],
  [1536, '1.5 KiB'],
  [10 * 2 ** 30, '10 GiB'],
  [2 ** 62, '4,100 PiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes, 'en')).toBe(text);
});

test('numbers are written as the language does', () => {
  expect(formatBytes(1536, 'ru')).toBe('1,5 KiB');
});
