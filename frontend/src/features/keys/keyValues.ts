import type {
  AccessTokenCreateUpdateData,
  AccessTokenData,
  Currency,
  KeyPermission,
  ModelInfoPk,
  LimitPeriod,
  SpendingLimit,
} from '@/api/generated/core.gen';

import { type Bounds, COUNT, numberOf, textOf } from './limitNumbers';
import { allowsAny, ANY_ORIGIN } from './origins';

/** Values of the key form. Numbers are as typed; an empty text is a limit that is not set. */
export interface KeyValues extends Record<string, unknown> {
  name: string;
  permissions: KeyPermission[];
  /** `account/model` by id; empty: all services. */
  services: string[];
  llms: string[];
  lifetime: string;
  lifetimePeriod: LimitPeriod;
  requestLimit: string;
  requestLimitPeriod: LimitPeriod;
  requestSize: string;
  requestSizeUnit: 'BYTES' | 'CHARACTERS';
  spending: SpendingRow[];
  expenseLimit: string;
  maxPricePerCall: string;
  emails: string[];
  origins: string[];
}

export interface SpendingRow {
  amount: string;
  currency: Currency;
  period: SpendingLimit['period'];
  availableImmediately: boolean;
}

export const PERMISSIONS: KeyPermission[] = ['predict', 'read', 'write'];
export const PERIODS: LimitPeriod[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR'];
export const SPENDING_PERIODS: SpendingLimit['period'][] = ['MINUTE', 'HOUR', 'DAY', 'MONTH'];
export const MOST_SPENDING_LIMITS = 4;

/** A month counts as 30 days and a year as 365, as on the server. */
const PERIOD_S: Record<LimitPeriod, number> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  MONTH: 30 * 86_400,
  YEAR: 365 * 86_400,
};
const LONGEST_LIFETIME_S = 100 * PERIOD_S.YEAR;

export const lifetimeBounds = (period: LimitPeriod): Bounds => ({
  ...COUNT,
  most: Math.floor(LONGEST_LIFETIME_S / PERIOD_S[period]),
});

/** Errors of a row, also of its period, are said at its amount. */
const ROW_PATHS = Array.from({ length: MOST_SPENDING_LIMITS }, (_, row) =>
  ['', '.amount', '.currency', '.period', '.availableImmediately'].map(
    (part) => [`spendingLimits.${row}${part}`, `spending.${row}.amount`] as const,
  ),
).flat();

/** Maps the server's field names to the form's; `.*` are the entries of a list. */
export const FIELD_PATHS: Partial<Record<string, string>> = {
  allowedServices: 'services',
  allowedLlms: 'llms',
  maxLifetime: 'lifetime',
  maxLifetimePeriod: 'lifetime',
  requestLimitPeriod: 'requestLimit',
  maxRequestSize: 'requestSize',
  maxRequestSizeUnit: 'requestSize',
  notificationEmails: 'emails',
  spendingLimits: 'spending',
  allowedOrigins: 'origins',
  'allowedOrigins.*': 'origins',
  'allowedLlms.*': 'llms',
  'notificationEmails.*': 'emails',
  ...Object.fromEntries(ROW_PATHS),
};

export const serviceKey = ({ accountId, modelId }: ModelInfoPk) => `${accountId}/${modelId}`;

export function valuesOf(key: AccessTokenData | null): KeyValues {
  return {
    name: key?.name ?? '',
    permissions: key?.permissions ?? ['predict'],
    services: (key?.allowedServices ?? []).map(serviceKey),
    llms: key?.allowedLlms ?? [],
    lifetime: textOf(key?.maxLifetime),
    lifetimePeriod: key?.maxLifetimePeriod ?? 'MONTH',
    requestLimit: textOf(key?.requestLimit),
    requestLimitPeriod: key?.requestLimitPeriod ?? 'MINUTE',
    requestSize: textOf(key?.maxRequestSize),
    requestSizeUnit: key?.maxRequestSizeUnit === 'CHARACTERS' ? 'CHARACTERS' : 'BYTES',
    spending: (key?.spendingLimits ?? []).map((limit) => ({
      ...limit,
      amount: textOf(limit.amount),
      availableImmediately: limit.availableImmediately ?? false,
    })),
    expenseLimit: textOf(key?.expenseLimit),
    maxPricePerCall: textOf(key?.maxPricePerCall),
    emails: key?.notificationEmails ?? [],
    origins: key?.allowedOrigins ?? [],
  };
}

export const isUnchanged = (values: KeyValues, key: AccessTokenData | null) =>
  JSON.stringify(values) === JSON.stringify(valuesOf(key));

/** Of values without faults. Includes all fields, so that an emptied limit is removed. */
export function bodyOf(values: KeyValues): AccessTokenCreateUpdateData {
  const lifetime = numberOf(values.lifetime);
  const requests = numberOf(values.requestLimit);
  const size = numberOf(values.requestSize);
  const spending = values.spending.map((row) => ({ ...row, amount: numberOf(row.amount) ?? 0 }));
  return {
    name: values.name.trim(),
    permissions: values.permissions,
    allowedServices: values.services.length ? values.services.map(servicePk) : null,
    allowedLlms: values.llms.length ? values.llms : null,
    temporary: lifetime !== null,
    maxLifetime: lifetime,
    maxLifetimePeriod: lifetime === null ? null : values.lifetimePeriod,
    requestLimit: requests,
    requestLimitPeriod: requests === null ? null : values.requestLimitPeriod,
    maxRequestSize: size,
    maxRequestSizeUnit: size === null ? null : values.requestSizeUnit,
    spendingLimits: spending.length ? spending : null,
    expenseLimit: numberOf(values.expenseLimit),
    maxPricePerCall: numberOf(values.maxPricePerCall),
    notificationEmails: values.emails.length ? values.emails : null,
    // Beside `*`, others have no effect.
    allowedOrigins: allowsAny(values.origins) ? [ANY_ORIGIN] : values.origins,
  };
}

export type Lack = 'onlyCall' | 'services' | 'spending';

/** What a key for pages lacks, so that their visitors could do more than call some services up to some amount. A limit of calls bounds no cost. */
export function lackingInPages({ origins, permissions, services, spending, expenseLimit }: KeyValues): Lack[] {
  if (origins.length === 0) return [];
  const isLimited = [expenseLimit, ...spending.map(({ amount }) => amount)].some((amount) => amount.trim() !== '');
  return [
    ...(permissions.some((permission) => permission !== 'predict') ? (['onlyCall'] as const) : []),
    ...(services.length === 0 ? (['services'] as const) : []),
    ...(isLimited ? [] : (['spending'] as const)),
  ];
}

function servicePk(key: string): ModelInfoPk {
  const [accountId = 0, modelId = 0] = key.split('/').map(Number);
  return { accountId, modelId };
}

export type Expiry = 'never' | 'expired' | 'soon' | 'later';
const SOON_MS = 7 * 24 * 3_600_000;

/** A warning is shown a week before a key expires. */
export function expiryOf(expiresAt: string | null, now: number): Expiry {
  if (expiresAt === null) return 'never';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left <= SOON_MS ? 'soon' : 'later';
}
