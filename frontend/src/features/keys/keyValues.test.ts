import { describe, expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { bodyOf, expiryOf, lackingInPages, lifetimeBounds, valuesOf } from './keyValues';

const KEY: AccessTokenData = {
  token: '5.7.***',
  name: 'nightly',
  creationDate: '2026-11-21',
  expiresAt: null,
  permissions: ['predict', 'read'],
  allowedServices: [{ accountId: 5, modelId: 9 }],
  allowedLlms: ['gpt-x'],
  temporary: true,
  maxLifetime: 3,
  maxLifetimePeriod: 'DAY',
  requestLimit: 240,
  requestLimitPeriod: 'DAY',
  maxRequestSize: 1000,
  maxRequestSizeUnit: 'CHARACTERS',
  spendingLimits: [{ amount: 5, currency: 'RUBLE', period: 'DAY', availableImmediately: true }],
  expenseLimit: 100,
  maxPricePerCall: 0.5,
  notificationEmails: ['a@example.org'],
  allowedOrigins: ['https://example.com'],
};

describe('bodyOf', () => {
  test('a key that is not changed goes back as it came', () => {
    const { token: _token, creationDate: _created, expiresAt: _expires, ...limits } = KEY;
    expect(bodyOf(valuesOf(KEY))).toEqual(limits);
  });

  test('a new key may call everything, for ever, without a limit', () => {
    expect(bodyOf({ ...valuesOf(null), name: ' mine ' })).toEqual({
      name: 'mine',
      permissions: ['predict'],
      allowedServices: null,
      allowedLlms: null,
      temporary: false,
      maxLifetime: null,
      maxLifetimePeriod: null,
      requestLimit: null,
      requestLimitPeriod: null,
      maxRequestSize: null,
      maxRequestSizeUnit: null,
      spendingLimits: null,
      expenseLimit: null,
      maxPricePerCall: null,
      notificationEmails: null,
      allowedOrigins: [],
    });
  });

  test('a limit that was emptied goes away, with its period', () => {
    expect(bodyOf({ ...valuesOf(KEY), requestLimit: '', lifetime: '', spending: [] })).toMatchObject({
      requestLimit: null,
      requestLimitPeriod: null,
      temporary: false,
      maxLifetimePeriod: null,
      spendingLimits: null,
    });
  });

  test('beside any site, others are not sent', () => {
    expect(bodyOf({ ...valuesOf(null), origins: ['https://a.example', '*'] })).toMatchObject({ allowedOrigins: ['*'] });
  });

  test('an amount that nothing may exceed is a limit', () => {
    const row = { amount: '0', currency: 'RUBLE' as const, period: 'DAY' as const, availableImmediately: false };
    expect(bodyOf({ ...valuesOf(null), spending: [row], expenseLimit: '0' })).toMatchObject({
      spendingLimits: [{ ...row, amount: 0 }],
      expenseLimit: 0,
    });
  });

  test('a text in a field of limits never becomes no limit', () => {
    expect(
      bodyOf({ ...valuesOf(null), requestLimit: '-5', lifetime: '0', requestSize: ' 1 000 ', maxPricePerCall: '0,5' }),
    ).toMatchObject({ requestLimit: -5, maxLifetime: 0, temporary: true, maxRequestSize: 1000, maxPricePerCall: 0.5 });
  });

  test('a small amount is shown without an exponent', () => {
    expect(valuesOf({ ...KEY, maxPricePerCall: 1.5e-7 }).maxPricePerCall).toBe('0.00000015');
  });
});

test('a lifetime has at most 100 years, whatever its unit', () => {
  expect(
    (['SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR'] as const).map((period) => lifetimeBounds(period).most),
  ).toEqual([3_153_600_000, 52_560_000, 876_000, 36_500, 1216, 100]);
});

describe('lackingInPages', () => {
  const ROW = { amount: '', currency: 'RUBLE' as const, period: 'DAY' as const, availableImmediately: false };
  const PAGES = { ...valuesOf(null), origins: ['https://a.example'] };

  test.each([
    ['nothing without pages', { ...PAGES, origins: [], permissions: ['write' as const] }, []],
    ['all', { ...PAGES, permissions: ['predict' as const, 'read' as const] }, ['onlyCall', 'services', 'spending']],
    ['also with a limit of calls', { ...PAGES, requestLimit: '1000000', services: ['5/9'] }, ['spending']],
    ['also with a row without an amount', { ...PAGES, spending: [ROW], services: ['5/9'] }, ['spending']],
    ['the services', { ...PAGES, spending: [{ ...ROW, amount: '5' }] }, ['services']],
    ['nothing', { ...PAGES, expenseLimit: '5', services: ['5/9'] }, []],
  ])('%s', (_, values, lacking) => expect(lackingInPages(values)).toEqual(lacking));
});

test.each([
  [null, 'never'],
  ['2026-11-21T12:00:00Z', 'expired'],
  ['2026-11-21T12:00:01Z', 'soon'],
  ['2026-11-28T12:00:00Z', 'soon'],
  ['2026-11-28T12:00:01Z', 'later'],
])('a key until %s: %s', (expiresAt, expiry) => {
  expect(expiryOf(expiresAt, Date.parse('2026-11-21T12:00:00Z'))).toBe(expiry);
});
