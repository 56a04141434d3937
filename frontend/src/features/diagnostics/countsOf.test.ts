import { expect, test } from 'vitest';

import { countsOf } from './counts';

const STATUS = {
  internalRequested: 1,
  internalActive: 1,
  internalInError: 2,
  hostingServerRequested: 3,
  hostingServerActive: 2,
  externalRequested: 4,
};

test('instances that the platform starts are counted together', () => {
  expect(countsOf(STATUS, false)).toEqual({ active: 3, wanted: 4, failing: 2 });
});

test('of external ones only the wish is known', () => {
  expect(countsOf(STATUS, true)).toEqual({ active: null, wanted: 4, failing: 0 });
  expect(countsOf(undefined, false)).toEqual({ active: 0, wanted: 0, failing: 0 });
});
