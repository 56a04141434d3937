import { describe, expect, test } from 'vitest';

import {
  formatDay,
  formatDuration,
  formatExactMoment,
  formatMoment,
  formatRoughDuration,
  fromNow,
  timeLeft,
  written,
  writtenRange,
} from './time';

const NOW = new Date('2026-11-21T12:00:00Z');
const after = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

const plainSpaces = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  [0, '0 s'],
  [-3, '0 s'],
  [0.34, '340 ms'],
  [0.0005, '0.5 ms'],
  [0.001, '1 ms'],
  [0.00001, '0.1 ms'],
  [4.25, '4.3 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [3600, '1 h'],
  [4325, '1 h 12 min'],
  [3605, '1 h'],
  [90_000, '1 d 1 h'],
])('%d seconds are %s', (seconds, shown) => {
  expect(plainSpaces(formatDuration(seconds, 'en'))).toBe(shown);
});

test.each([
  [4325, '1 ч 12 мин'],
  [4.25, '4,3 с'],
  [0.34, '340 мс'],
])('%d seconds are %s in Russian', (seconds, shown) => {
  expect(plainSpaces(formatDuration(seconds, 'ru'))).toBe(shown);
});

test.each([
  [0.2, '1 s'],
  [41.6, '42 s'],
  [59.6, '1 min'],
  [150, '3 min'],
  [3599, '1 h'],
  [7200, '2 h'],
])('%d seconds are about %s', (seconds, told) => {
  expect(plainSpaces(formatRoughDuration(seconds, 'en'))).toBe(told);
});

test('all units of a duration are given where they are asked for', () => {
  expect(plainSpaces(formatDuration(90_061, 'en', 4))).toBe('1 d 1 h 1 min 1 s');
});

test.each([
  [0, 'now'],
  [-0.01, 'now'],
  [-1 / 60, '1 minute ago'],
  [-0.99, '59 minutes ago'],
  [-1.5, '1 hour ago'],
  [-24, 'yesterday'],
  [24 * 5, 'in 5 days'],
  [-24 * 60, '2 months ago'],
  [-24 * 800, '2 years ago'],
])('%d hours from now is %s', (hours, text) => {
  expect(fromNow(after(hours), 'en', NOW.getTime())).toBe(text);
});

test('relative time follows the language', () => {
  expect(fromNow(after(-5), 'ru', NOW.getTime())).toBe('5 часов назад');
});

test('moments are written as the language does; the exact one has its time zone', () => {
  const local = new Date(2026, 11, 1, 9, 5, 7);
  expect(formatMoment(local, 'en')).toBe('Dec 1, 2026, 09:05:07');
  expect(formatMoment(local, 'ru')).toMatch(/^1 дек\. 2026/);
  expect(formatExactMoment(local, 'en')).toMatch(/^Dec 1, 2026, 09:05:07 \S+/);
});

test.each(['', 'soon', '2026-13-45T00:00:00Z', Number.NaN])('%j is no moment, and shown as none', (moment) => {
  expect([formatMoment, formatDay, formatExactMoment, fromNow].map((format) => format(moment, 'en'))).toEqual([
    '–',
    '–',
    '–',
    '–',
  ]);
});

describe('timeLeft', () => {
  test.each([
    [23.01, 24],
    [0.1, 1],
    [-5, 0],
    [1, 1],
  ])('%d hours are told in hours, rounded up', (hours, count) => {
    expect(timeLeft(after(hours), NOW)).toEqual({ unit: 'hours', count });
  });

  test.each([
    [24, 1],
    [47.9, 1],
    [48, 2],
  ])('%d hours are told in whole days', (hours, count) => {
    expect(timeLeft(after(hours), NOW)).toEqual({ unit: 'days', count });
  });
});

test('with a format of its own, a page writes a day, and a dash for what is none', () => {
  const format = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });
  expect(written(format, '2026-11-01')).toBe('November 1');
  expect(written(format, 'yesterday')).toBe('–');
  expect(writtenRange(format, '2026-11-01', '2026-11-03').replaceAll(/\s/g, ' ')).toBe('November 1 – 3');
  expect(writtenRange(format, '2026-11-01', 'later')).toBe('November 1 – –');
});
