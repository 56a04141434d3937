import { expect, test } from 'vitest';

import { stateOf, stateWith } from './waiting';

const because = (reason: string) => ({ reason, message: null, details: null });

test.each([
  ['STARTING', 'NotEnoughRoom', 'WAITING_FOR_ROOM'], ['WAITING', 'AccountLimit', 'WAITING_FOR_ROOM'], ['STARTING', 'NoServerAvailable', 'WAITING_FOR_ROOM'],
  ['STARTING', 'NoImage', 'WAITING'], ['RUNNING', 'NotEnoughRoom', 'RUNNING'], ['REMOVING', 'NotEnoughRoom', 'REMOVING'],
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
