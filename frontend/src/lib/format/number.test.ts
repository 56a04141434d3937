import { expect, test } from 'vitest';

import { formatNumber, formatScore, formatShare, formatShort } from './number';

test.each([
  [1234567, 'en', '1\u202f234\u202f567'],
  [1234.5, 'ru', '1\u202f234,5'],
  [-3, 'en', '−3'],
])('%d in %s is %s', (amount, language, text) => {
  expect(formatNumber(amount, language)).toBe(text);
});

test.each([
  [9999, 'en', '9\u202f999'],
  [12_433, 'en', '12.4K'],
  [12_433, 'ru', '12,4\u00a0тыс.'],
  [3_456_000, 'en', '3.46M'],
])('%d is shortened in %s to %s', (amount, language, text) => {
  expect(formatShort(amount, language)).toBe(text);
});

test.each([
  [0.5, 'en', '0.50'],
  [-0.123, 'ru', '−0,12'],
])('a score of %d in %s is %s', (score, language, text) => {
  expect(formatScore(score, language)).toBe(text);
});

test.each([
  [0.4567, 'en', '45.7%'],
  [1, 'ru', '100,0\u00a0%'],
])('a share of %d in %s is %s', (share, language, text) => {
  expect(formatShare(share, language)).toBe(text);
});
