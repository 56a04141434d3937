import type { FrontendSettings } from '@/api/first/generated/core.gen';

import { answers, signedIn } from './server';

export const LIMITS = {
  baseModelInstanceLimit: 1,
  derivedModelInstanceLimit: 2,
  gpuModelInstanceLimit: 0,
  cpuLimit: '4',
  memoryLimit: '8Gi',
  ephemeralDiskLimit: '1Gi',
  predictPerSec: 10,
  fitPerMinute: 1,
  storageLimit: '10Gi',
};
export const ACCOUNT = {
  accountId: 5,
  shortName: 'acme',
  displayName: 'Acme Research',
  email: 'a@example.org',
  language: 'EN',
  tags: {},
  lastActivity: null,
  timeZone: 'UTC',
  limits: LIMITS,
};
export const ACCOUNTS = '/api/accountsadmin/account/5';
export const ADMIN = '/api/mlpcore/admin/account/5';
export const CORE = '/api/mlpcore/account/5';
export const BILLING = '/api/mlpbilling/account/5';
export const AUDIT = '/api/accountsadmin/admin/audit';
export const STATEMENT = {
  direction: 'SPENDING',
  split: 'SERVICE',
  first: '2026-11-01',
  last: '2026-11-03',
  timeZone: 'UTC',
  currency: 'RUBLE',
  total: '0',
  items: [],
  days: [],
  balanceChange: {
    opening: '10',
    calls: '0',
    hosting: '0',
    refills: '0',
    bonuses: '0',
    fromIncome: '0',
    closing: '10',
  },
};
export const paged = (...records: object[]) => ({
  records,
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 50 },
});
export const balanceOf = (amount: number) => ({
  overallBalanceCurrency: amount,
  incomeBalanceCurrency: 0,
  jaicpTariffBalanceCurrency: null,
  nextRefillCurrency: null,
  nextRefillDate: null,
  mainBalanceCurrency: amount,
  blocked: false,
  belowZeroSince: null,
  balances: [],
});

/** What a superadmin is answered about an account without anything of its own, until the end of the test. */
export function nothingIn(settings: Partial<FrontendSettings> = {}) {
  signedIn({ permissions: ['ACCOUNTS_ADMIN_WRITE'] }, settings);
  answers(ADMIN, ACCOUNT);
  answers(`${ADMIN}/features`, { features: [] });
  answers(`${ADMIN}/changes`, paged());
  answers(ACCOUNTS, {
    accountId: 5,
    shortName: 'acme',
    displayName: 'Acme Research',
    email: 'a@example.org',
    language: 'EN',
    ownerUserId: 7,
    active: true,
    createdAt: '2026-11-01T00:00:00Z',
  });
  answers(`${ACCOUNTS}/member`, []);
  answers(`${ACCOUNTS}/invitation`, []);
  answers(`${CORE}/token`, []);
  answers(`${CORE}/model`, paged());
  answers(`${CORE}/limits/use`, []);
  answers(`${BILLING}/balance`, balanceOf(10));
  answers(`${BILLING}/balance/forecast`, {
    since: '2026-11-14',
    until: '2026-11-20',
    calls: '0',
    hosting: '0',
    perDay: '0',
    enoughForDays: null,
  });
  answers(`${BILLING}/statement`, STATEMENT);
  answers(`${BILLING}/refill/history`, []);
  answers(AUDIT, paged());
  answers('/api/mlpcore/system-config/task-types', []);
}
