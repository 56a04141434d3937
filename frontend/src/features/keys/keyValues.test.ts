import { describe, expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { bodyOf, expiryOf, valuesOf } from './keyValues';

const KEY: AccessTokenData = {
  token: '5.7.***', name: 'nightly', creationDate: '2026-11-21', expiresAt: null, permissions: ['predict', 'read'], allowedServices: [{ accountId: 5, modelId: 9 }], allowedLlms: ['gpt-x'],
  temporary: true, maxLifetime: 3, maxLifetimePeriod: 'DAY', requestLimit: 240, requestLimitPeriod: 'DAY', maxRequestSize: 1000, maxRequestSizeUnit: 'CHARACTERS',
  spendingLimits: [{ amount: 5, currency: 'RUBLE', period: 'DAY', availableImmediately: true }], expenseLimit: 100, maxPricePerCall: 0.5, notificationEmails: ['a@example.org'],
  allowedOrigins: ['https://example.com'],
};

describe('bodyOf', () => {
  test('a key that is not changed goes back as it came', () => {
    const { token: _token, creationDate: _created, expiresAt: _expires, ...limits } = KEY;
    expect(bodyOf(valuesOf(KEY))).toEqual(limits);
  });

  test('a new key may call everything, for ever, without a limit', () => {
    expect(bodyOf({ ...valuesOf(null), name: ' mine ' })).toEqual({
      name: 'mine', permissions: ['predict'], allowedServices: null, allowedLlms: null, temporary: false, maxLifetime: null, maxLifetimePeriod: null, requestLimit: null,
      requestLimitPeriod: null, maxRequestSize: null, maxRequestSizeUnit: null, spendingLimits: null, expenseLimit: null, maxPricePerCall: null, notificationEmails: null, allowedOrigins: [],
    });
  });

  test('a limit that was emptied goes away, with its period', () => {
    expect(bodyOf({ ...valuesOf(KEY), requestLimit: '', lifetime: '', spending: [] })).toMatchObject({
      requestLimit: null, requestLimitPeriod: null, temporary: false, maxLifetimePeriod: null, spendingLimits: null,
    });
  });

  test('beside any site, others are not sent', () => {
    expect(bodyOf({ ...valuesOf(null), origins: ['https://a.example', '*'] })).toMatchObject({ allowedOrigins: ['*'] });
  });

  test('a row of spending without an amount is none; nothing may be spent is a limit', () => {
    const row = { amount: '', currency: 'RUBLE' as const, period: 'DAY' as const, availableImmediately: false };
    expect(bodyOf({ ...valuesOf(null), spending: [row, { ...row, amount: 0 }], expenseLimit: 0 })).toMatchObject({ spendingLimits: [{ amount: 0, currency: 'RUBLE', period: 'DAY' }], expenseLimit: 0 });
  });
});

test.each([
  [null, 'never'], ['2026-11-21T12:00:00Z', 'expired'], ['2026-11-21T12:00:01Z', 'soon'], ['2026-11-28T12:00:00Z', 'soon'], ['2026-11-28T12:00:01Z', 'later'],
])('a key until %s: %s', (expiresAt, expiry) => {
  expect(expiryOf(expiresAt, Date.parse('2026-11-21T12:00:00Z'))).toBe(expiry);
});
