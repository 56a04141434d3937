import { http, HttpResponse, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';

import type { UserData } from '@/api/first/generated/accounts.gen';
import type { FrontendSettings } from '@/api/first/generated/core.gen';

export const server = setupServer();

const origin = window.location.origin;

/** Sets the platform's answer until the end of the test. */
export function answers(path: string, body: JsonBodyType, status = 200): void {
  server.use(http.get(`${origin}${path}`, () => HttpResponse.json(body, { status })));
}

export function refusal(code: string, status: number, message = 'refused') {
  return { code, message, status, args: {}, requestId: 'r-1' };
}

export const SETTINGS: FrontendSettings = {
  isSystemAccount: false,
  isBillingEnabled: true,
  isArchiveEnabled: false,
  isExtendedLanding: false,
  currencyType: 'RUBLE',
  defaultMaxPrice: 100,
  englishOnly: false,
  refillByManager: false,
  managerMail: null,
  supportChatUrl: null,
  saveClicksEnabled: false,
  envName: 'test',
  license: null,
};

export const ANN: UserData = {
  features: [],
  permissions: ['MLP_USER'],
  login: 'ann@example.org',
  userId: 7,
  accountId: 1_000_000_001,
  internal: false,
  accountOwner: true,
};

export function signedOut(): void {
  answers('/api/accountsadmin/public/options', { domains: [] });
  answers('/api/accountsadmin/c/authorization/session', { user: null });
  answers('/api/mlpcore/system-config/frontend-settings', SETTINGS);
}

export function signedIn(user: Partial<UserData> = {}, settings: Partial<FrontendSettings> = {}): void {
  const id = user.accountId ?? ANN.accountId;
  answers('/api/accountsadmin/c/authorization/session', { user: { ...ANN, ...user } });
  answers('/api/mlpcore/system-config/frontend-settings', { ...SETTINGS, ...settings });
  answers('/api/accountsadmin/public/options', { domains: [] });
  answers('/api/accountsadmin/c/users/7/allowed-accounts', [{ id, name: 'acme', availableToSelect: true }]);
  answers('/api/accountsadmin/c/account-invitation/get-by-user', []);
  answers(`/api/mlpbilling/account/${id}/balance/short`, {
    overallBalanceCurrency: 12.349,
    incomeBalanceCurrency: 3,
    jaicpTariffBalanceCurrency: null,
    nextRefillCurrency: null,
    nextRefillDate: null,
  });
  answers(`/api/mlpbilling/account/${id}/blocked`, false);
  answers(`/api/mlpbilling/account/${id}/refill/history`, []);
  answers(`/api/mlpbilling/account/${id}/user/7/refill/welcome-bonus`, { offered: false, amountCurrency: 0 });
  answers('/api/mlpcore/task/short', []);
  answers(`/api/mlpcore/account/${id}/notification`, []);
}
