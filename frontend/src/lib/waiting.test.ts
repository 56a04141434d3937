import { expect, test } from 'vitest';

import type { StartData } from '@/api/generated/core.gen';

import { stateOf, stateWith } from './waiting';

const start = (phase: StartData['phase']): StartData => ({ phase, since: '2026-11-21T12:00:00Z', usualSeconds: null });
const because = (reason: string) => ({ reason, message: null, details: null });

test.each([
  ['STARTING', 'NotEnoughRoom', 'WAITING_FOR_ROOM'],
  ['WAITING', 'AccountLimit', 'WAITING_FOR_ROOM'],
  ['STARTING', 'NoServerAvailable', 'WAITING_FOR_ROOM'],
  ['STARTING', 'NoImage', 'WAITING'],
  ['STARTING', 'RestrictedImage', 'WAITING'],
  ['RUNNING', 'NotEnoughRoom', 'RUNNING'],
  ['REMOVING', 'NotEnoughRoom', 'REMOVING'],
])('%s with the reason %s is %s', (state, reason, shown) => {
  expect(stateWith(state, because(reason))).toBe(shown);
});

test('without a reason the state is as it is', () => {
  expect([stateWith('STARTING', null), stateWith('STARTING', undefined)]).toEqual(['STARTING', 'STARTING']);
});

test('a service whose instances no server takes does not start', () => {
  expect(stateOf({ state: 'STARTING', waitsForServer: true })).toBe('WAITING');
  expect(stateOf({ state: 'STARTING', waitsForServer: false })).toBe('STARTING');
  expect(stateOf({ state: 'RUNNING', waitsForServer: false })).toBe('RUNNING');
});

test('a service starts if one instance does, also while another one waits for room', () => {
  expect(stateWith('STARTING', because('NotEnoughRoom'), start('PREPARING'))).toBe('STARTING');
  expect(stateWith('STARTING', because('NotEnoughRoom'), start('WAITING_FOR_SERVER'))).toBe('WAITING_FOR_ROOM');
});

test('an instance that waits to be connected starts if it is known to', () => {
  expect([stateWith('WAITING', null, start('CONNECTING')), stateWith('WAITING', null, null)]).toEqual([
    'STARTING',
    'WAITING',
  ]);
});

test('nothing is called starting of which nothing is known to start', () => {
  expect([
    stateWith('STARTING', null, null),
    stateOf({ state: 'STARTING', waitsForServer: false, start: null }),
  ]).toEqual(['WAITING', 'WAITING']);
  expect([stateWith('RUNNING', null, null), stateOf({ state: 'RUNNING', waitsForServer: false, start: null })]).toEqual(
    ['RUNNING', 'RUNNING'],
  );
});
