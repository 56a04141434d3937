import { expect, test } from 'vitest';

import type { JobStatus, ShortJobView } from '@/api/generated/core.gen';

import { clampedPercentage, inTab, listed, secondsOf, taskIndicator } from './tasks';

const task = (viewStatus: JobStatus, unreadStatus = true) => ({ viewStatus, unreadStatus }) as ShortJobView;

test.each([
  [[task('RUN'), task('FAILED')], 'danger'],
  [[task('RUN'), task('FAILED', false)], 'info'],
  [[task('IDLE')], 'info'],
  [[task('COMPLETED'), task('REVERTED'), task('REVERTING')], null],
  [[task('RUN', false)], null],
  [[], null],
])('%o shows %s', (all, tone) => {
  expect(taskIndicator(all)).toBe(tone);
});

test('replaced tasks are not listed', () => {
  expect(listed([task('REPLACED'), task('RUN')])).toEqual([task('RUN')]);
});

test.each<[JobStatus, boolean, boolean]>([
  ['IDLE', true, false],
  ['RUN', true, false],
  ['REVERTING', true, false],
  ['COMPLETED', false, true],
  ['FAILED', false, true],
  ['REVERTED', false, true],
])('%s: in progress %s, completed %s', (status, progress, completed) => {
  expect([inTab('progress', task(status)), inTab('completed', task(status)), inTab('all', task(status))]).toEqual([
    progress,
    completed,
    true,
  ]);
});

test.each([
  [-1, 0],
  [0, 0],
  [55.5, 55.5],
  [100, 100],
  [140, 100],
])('a progress of %d is shown as %d', (given, shown) => {
  expect(clampedPercentage(given)).toBe(shown);
});

test('a task lasts until its end, or until now', () => {
  const runAt = '2026-11-21T12:00:00Z';
  const now = new Date('2026-11-21T12:01:00Z').getTime();
  expect(secondsOf({ runAt, endTime: null }, now)).toBe(60);
  expect(secondsOf({ runAt, endTime: '2026-11-21T12:00:05Z' }, now)).toBe(5);
});
