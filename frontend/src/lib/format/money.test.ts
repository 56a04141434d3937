import { describe, expect, test } from 'vitest';

import { flooredToCents, flooredToDigits, formatAmount, formatPrice, formatRubles } from './money';

describe('flooredToCents', () => {
  test.each([
    [12.349, 12.34],
    [0.999, 0.99],
    [1.15, 1.15],
    [4.35, 4.35],
    [1e9 + 0.019, 1e9 + 0.01],
    [0, 0],
    [-1.239, -1.23],
    [0.0000001, 0],
    [-0.001, 0],
  ])('%d becomes %d', (amount, floored) => {
    expect(flooredToCents(amount)).toBeCloseTo(floored, 10);
  });
});

describe('formatAmount', () => {
  test.each([
    [1234567.899, 'en', '1\u202f234\u202f567.89'],
    [1234567.899, 'ru', '1\u202f234\u202f567,89'],
    [1.15, 'en', '1.15'],
    [0, 'en', '0.00'],
    [5, 'ru', '5,00'],
    [-12.349, 'en', '−12.34'],
    [-0.001, 'en', '0.00'],
  ])('%d in %s is shown as %s', (amount, language, shown) => {
    expect(formatAmount(amount, language)).toBe(shown);
  });

  test('without a language it is that of the page', () => {
    document.documentElement.lang = 'ru';
    expect(formatAmount(1.5)).toBe('1,50');
    document.documentElement.lang = 'en';
    expect(formatAmount(1.5)).toBe('1.50');
  });
});

test('income carries the ruble sign', () => {
  expect(formatRubles(3, 'en')).toBe('3.00\u00a0₽');
});

test.each([
  [0.0004, 'en', '0.0004'],
  [0.00123, 'ru', '0,0012'],
  [0.25, 'en', '0.25'],
  [0, 'en', '0.00'],
])('a price of %d keeps what makes it one', (price, language, shown) => {
  expect(formatPrice(price, language)).toBe(shown);
});

test.each([
  [1_239_999, 1_230_000],
  [-1_239_999, -1_230_000],
  [12_345_678_900, 12_300_000_000],
  [999.9, 999],
  [0, 0],
])('three digits of %d are %d', (amount, floored) => {
  expect(flooredToDigits(amount)).toBe(floored);
});
