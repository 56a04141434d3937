import { expect, test } from 'vitest';

import { timeSplit } from './timeSplit';

test('a call that woke the service spent most of its time on that', () => {
  expect(timeSplit({ totalMs: 5000, serviceMs: 300, wait: { phase: 'start', ms: 4500 } })).toEqual([
    { part: 'wake', ms: 4500 },
    { part: 'model', ms: 300 },
    { part: 'rest', ms: 200 },
  ]);
});

test.each(['queue', 'batch'] as const)('a wait for the %s is a wait in the queue', (phase) => {
  expect(timeSplit({ totalMs: 100, serviceMs: null, wait: { phase, ms: 60 } })).toEqual([
    { part: 'queue', ms: 60 },
    { part: 'together', ms: 40 },
  ]);
});

test('the parts never exceed what was measured, whatever the service reports', () => {
  expect(timeSplit({ totalMs: 100, serviceMs: 9000, wait: null })).toEqual([{ part: 'model', ms: 100 }]);
  expect(timeSplit({ totalMs: 0, serviceMs: 4, wait: null })).toEqual([]);
});
