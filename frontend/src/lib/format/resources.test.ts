import { expect, test } from 'vitest';

import { cores, quantity } from './resources';

test.each([
  ['64Gi', '64 GiB'],
  ['1536Mi', '1.5 GiB'],
  ['2147483648', '2 GiB'],
  ['unlimited', 'unlimited'],
  ['', ''],
])('%s is shown as %s', (text, shown) => {
  expect(quantity(text).replaceAll('\u00a0', ' ')).toBe(shown);
});

test.each([
  [4000, '4'],
  [250, '0.25'],
  [1234, '1.23'],
])('%d thousandths of a core are %s cores', (value, shown) => {
  expect(cores(value)).toBe(shown);
});
