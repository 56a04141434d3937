import { describe, expect, test } from 'vitest';

import { formatDuration, timeLeft } from './time';

const UNIT = { h: 'h', m: 'min', s: 's' };
const NOW = new Date('2026-11-21T12:00:00Z');
const after = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

test.each([[0, '0 s'], [59.6, '1 min'], [61, '1 min 1 s'], [3600, '1 h'], [4325, '1 h 12 min 5 s'], [-3, '0 s']])('%d seconds are %s', (seconds, shown) => {
  expect(formatDuration(seconds, UNIT)).toBe(shown);
});

describe('timeLeft', () => {
  test.each([[23.01, 24], [0.1, 1], [-5, 0], [1, 1]])('%d hours are told in hours, rounded up', (hours, count) => {
    expect(timeLeft(after(hours), NOW)).toEqual({ unit: 'hours', count });
  });

  test.each([[24, 1], [47.9, 1], [48, 2]])('%d hours are told in whole days', (hours, count) => {
    expect(timeLeft(after(hours), NOW)).toEqual({ unit: 'days', count });
  });
});
