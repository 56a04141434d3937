import type { AccessTokenData } from '@/api/generated/core.gen';

/** A key of the account 5 that may call and has no limit, with what a test changes. */
export function keyOf(number: number, part: Partial<AccessTokenData> = {}): AccessTokenData {
  return {
    token: `5.${number}.************abcd`,
    name: `key ${number}`,
    creationDate: '2026-11-21T12:00:00Z',
    expiresAt: null,
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
    ...part,
  };
}
