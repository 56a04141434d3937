import { expect, test } from 'vitest';

import { closer, partBetween, visibleIn } from './zoom';

const WHOLE = [0, 1000] as const;

test('a part is what lies between two times, in either direction', () => {
  expect(partBetween(WHOLE, 200, 400, 10)).toEqual([200, 400]);
  expect(partBetween(WHOLE, 400, 200, 10)).toEqual([200, 400]);
});

test('a part has a few steps at least, and stays within the whole', () => {
  expect(partBetween(WHOLE, 500, 501, 10)).toEqual([480.5, 520.5]);
  expect(partBetween(WHOLE, 999, 1000, 10)).toEqual([960, 1000]);
  expect(partBetween(WHOLE, -50, 300, 10)).toEqual([0, 350]);
});

test('all of it is no part', () => {
  expect(partBetween(WHOLE, 0, 1000, 10)).toBeNull();
  expect(closer(WHOLE, [400, 600], 500, 100, 10)).toBeNull();
});

test('the time at the cursor keeps its place on the way closer', () => {
  expect(closer(WHOLE, WHOLE, 250, 0.5, 10)).toEqual([125, 625]);
  expect(closer(WHOLE, [125, 625], 250, 2, 10)).toBeNull();
  expect(closer(WHOLE, WHOLE, 1000, 0.5, 10)).toEqual([500, 1000]);
});

test('of the values those of the part are read, and one more at either side is drawn', () => {
  const { times, series, drawn } = visibleIn(
    [0, 10, 20, 30, 40],
    [{ name: 'a', values: [1, 2, null, 4, 5] }],
    [10, 30],
  );
  expect([times, series[0]?.values]).toEqual([
    [10, 20, 30],
    [2, null, 4],
  ]);
  expect(drawn.times).toEqual([0, 10, 20, 30, 40]);
  expect(visibleIn([0, 40], [], [10, 30])).toMatchObject({ times: [], drawn: { times: [0, 40] } });
});
