import { describe, expect, test } from 'vitest';

import { flooredToCents, formatAmount, formatPrice, formatRubles } from './money';

describe('flooredToCents', () => {
  test.each([
    [12.349, 12.34], [0.999, 0.99], [1.15, 1.15], [4.35, 4.35], [1e9 + 0.019, 1e9 + 0.01], [0, 0], [-1.239, -1.23], [0.0000001, 0],
  ])('%d becomes %d', (amount, floored) => {
    expect(flooredToCents(amount)).toBeCloseTo(floored, 10);
  });
});

describe('formatAmount', () => {
  test.each([
    [1234567.899, '1\u202f234\u202f567.89'], [0, '0.00'], [5, '5.00'], [-12.349, '−12.34'],
  ])('%d is shown as %s', (amount, shown) => {
    expect(formatAmount(amount)).toBe(shown);
  });
});

test('income carries the ruble sign', () => {
  expect(formatRubles(3)).toBe('3.00\u00a0₽');
});

test.each([[0.0004, '0.0004'], [0.00123, '0.0012'], [0.25, '0.25'], [0, '0.00']])('a price of %d keeps what makes it one', (price, shown) => {
  expect(formatPrice(price)).toBe(shown);
});
