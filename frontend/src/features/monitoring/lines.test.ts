import { expect, test } from 'vitest';

import { perInstance, timesOf, valuesOf } from './lines';
import { nameOf, periodOf, pollingOf } from './periods';

const MEASURED = {
  MODEL_ACTIVE_REQUESTS_COUNT: [
    { ts: 60_000, v: 4 },
    { ts: 70_000, v: 6 },
    { ts: 200_000, v: 8 },
  ],
  MODEL_CONNECTED_INSTANCES_COUNT: [{ ts: 60_000, v: 2 }],
};

test('the times of all metrics are one axis', () => {
  expect(timesOf(MEASURED, ['MODEL_ACTIVE_REQUESTS_COUNT', 'MODEL_CONNECTED_INSTANCES_COUNT'])).toEqual([60, 70, 200]);
});

test('a number of instances holds for its minute, and then it is unknown', () => {
  expect(valuesOf(MEASURED, 'MODEL_CONNECTED_INSTANCES_COUNT', [50, 60, 70, 119, 120, 200], 10)).toEqual([
    null,
    2,
    2,
    2,
    null,
    null,
  ]);
});

test('values are divided by the connected instances where these are known', () => {
  expect(perInstance([4, 6, 8, null], [2, 0, null, 2])).toEqual([2, null, null, null]);
  expect(perInstance([4], [2], 6)).toEqual([12]);
});

test('an address names the period, and short periods are live', () => {
  expect(periodOf('1440')).toMatchObject({ minutes: 1440, step: 300 });
  expect([nameOf(periodOf('262800'), 'en'), nameOf(periodOf('15'), 'ru')]).toEqual(['6 months', '15 минут']);
  expect(periodOf('17').minutes).toBe(60);
  expect(periodOf(null).minutes).toBe(60);
  expect(pollingOf(periodOf('5'))).toBeLessThan(pollingOf(periodOf('1440')));
});
