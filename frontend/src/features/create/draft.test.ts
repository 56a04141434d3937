import { describe, expect, test } from 'vitest';

import { type Draft, EMPTY_DRAFT, isReady, modelOf, stepReady } from './draft';

const IMAGE = { accountId: 5, imageId: 2, address: 'example.org/m:1' };
const DRAFT: Draft = { ...EMPTY_DRAFT, address: 'example.org/m:1', name: 'mine' };

describe('stepReady', () => {
  test('an image is one that exists or an address', () => {
    expect([
      stepReady(0, { ...DRAFT, address: '  ' }, true),
      stepReady(0, DRAFT, true),
      stepReady(0, { ...DRAFT, address: '', existing: IMAGE }, true),
    ]).toEqual([false, true, true]);
  });

  test('the name must be free; where it runs needs no choice', () => {
    expect([stepReady(1, DRAFT, false), stepReady(1, DRAFT, true), stepReady(2, DRAFT, true)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test('a step that one went back to and spoilt is noticed at the end', () => {
  expect([isReady(DRAFT, true), isReady({ ...DRAFT, address: '' }, true), isReady(DRAFT, false)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('without a choice a service runs on the platform, in the default group', () => {
  expect(modelOf(DRAFT, IMAGE)).toMatchObject({
    hostingType: 'INTERNAL',
    resourceGroup: null,
    imageId: 2,
    displayName: null,
  });
  expect(modelOf({ ...DRAFT, resourceGroup: 'pool', displayName: ' My ' }, IMAGE)).toMatchObject({
    resourceGroup: 'pool',
    displayName: 'My',
  });
});

test('an external service has no resource group, whatever was chosen before', () => {
  expect(modelOf({ ...DRAFT, hosting: 'EXTERNAL', resourceGroup: 'pool' }, IMAGE)).toMatchObject({
    hostingType: 'EXTERNAL',
    resourceGroup: null,
  });
});
