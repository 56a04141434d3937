import { expect, test } from 'vitest';

import type { StartData } from '@/api/first/generated/core.gen';

import { whileSomeStart, whileStarting } from './polls';

const start = (phase: StartData['phase']): StartData => ({ phase, since: '2026-11-21T12:00:00Z', usualSeconds: null });

test('a service is asked for often only while it starts, also while it waits for a server', () => {
  expect([undefined, { start: null }, {}].map((found) => whileStarting(found).skip)).toEqual([true, true, true]);
  expect(
    (['PREPARING', 'WAITING_FOR_SERVER'] as const).map((phase) => whileStarting({ start: start(phase) }).skip),
  ).toEqual([false, false]);
});

test('a list is asked for again while one of it starts, but not for one that waits for a server', () => {
  expect(whileSomeStart([{ start: null }, { start: start('CONNECTING') }]).skip).toBe(false);
  expect(
    [undefined, [], [{ start: null }], [{ start: start('WAITING_FOR_SERVER') }]].map(
      (found) => whileSomeStart(found).skip,
    ),
  ).toEqual([true, true, true, true]);
});
