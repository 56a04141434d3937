import type { AccessTokenCreateUpdateData, AccessTokenData, Currency, KeyPermission, ModelInfoPk, LimitPeriod, SpendingLimit } from '@/api/generated/core.gen';

import { allowsAny, ANY_ORIGIN } from './origins';

/** Values of the key form; an empty string is a limit that is not set. */
export interface KeyValues extends Record<string, unknown> {
  name: string;
  permissions: KeyPermission[];
  /** `account/model` by id; empty: all services. */
  services: string[];
  llms: string[];
  lifetime: number | string;
  lifetimePeriod: LimitPeriod;
  requestLimit: number | string;
  requestLimitPeriod: LimitPeriod;
  requestSize: number | string;
  requestSizeUnit: 'BYTES' | 'CHARACTERS';
  spending: SpendingRow[];
  expenseLimit: number | string;
  maxPricePerCall: number | string;
  emails: string[];
  origins: string[];
}

export interface SpendingRow {
  amount: number | string;
  currency: Currency;
  period: SpendingLimit['period'];
  availableImmediately: boolean;
}

export const PERMISSIONS: KeyPermission[] = ['predict', 'read', 'write'];
export const PERIODS: LimitPeriod[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR'];
export const SPENDING_PERIODS: SpendingLimit['period'][] = ['MINUTE', 'HOUR', 'DAY', 'MONTH'];
export const MOST_SPENDING_LIMITS = 4;

/** Maps the server's field names to the form's; `.*` are the entries of a list. */
export const FIELD_PATHS: Partial<Record<string, string>> = {
  allowedServices: 'services', allowedLlms: 'llms', maxLifetime: 'lifetime', maxLifetimePeriod: 'lifetime', requestLimitPeriod: 'requestLimit',
  maxRequestSize: 'requestSize', maxRequestSizeUnit: 'requestSize', notificationEmails: 'emails', spendingLimits: 'spending',
  allowedOrigins: 'origins', 'allowedOrigins.*': 'origins', 'allowedLlms.*': 'llms', 'notificationEmails.*': 'emails', 'spendingLimits.*': 'spending',
};

export const serviceKey = ({ accountId, modelId }: ModelInfoPk) => `${accountId}/${modelId}`;
const orNothing = (value: number | null) => value ?? '';

export function valuesOf(key: AccessTokenData | null): KeyValues {
  return {
    name: key?.name ?? '',
    permissions: key?.permissions ?? ['predict'],
    services: (key?.allowedServices ?? []).map(serviceKey),
    llms: key?.allowedLlms ?? [],
    lifetime: orNothing(key?.maxLifetime ?? null),
    lifetimePeriod: key?.maxLifetimePeriod ?? 'MONTH',
    requestLimit: orNothing(key?.requestLimit ?? null),
    requestLimitPeriod: key?.requestLimitPeriod ?? 'MINUTE',
    requestSize: orNothing(key?.maxRequestSize ?? null),
    requestSizeUnit: key?.maxRequestSizeUnit === 'CHARACTERS' ? 'CHARACTERS' : 'BYTES',
    spending: (key?.spendingLimits ?? []).map((limit) => ({ ...limit, availableImmediately: limit.availableImmediately ?? false })),
    expenseLimit: key?.expenseLimit ?? '',
    maxPricePerCall: key?.maxPricePerCall ?? '',
    emails: key?.notificationEmails ?? [],
    origins: key?.allowedOrigins ?? [],
  };
}

export const isUnchanged = (values: KeyValues, key: AccessTokenData | null) => JSON.stringify(values) === JSON.stringify(valuesOf(key));

const asLimit = (value: number | string) => (value === '' || Number(value) <= 0 ? null : Number(value));

/** Includes all fields, so that an emptied limit is removed. */
export function bodyOf(values: KeyValues): AccessTokenCreateUpdateData {
  const lifetime = asLimit(values.lifetime);
  const requests = asLimit(values.requestLimit);
  const size = asLimit(values.requestSize);
  const spending = values.spending.flatMap((row) => (row.amount === '' ? [] : [{ ...row, amount: Number(row.amount) }]));
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
    expenseLimit: values.expenseLimit === '' ? null : Number(values.expenseLimit),
    maxPricePerCall: values.maxPricePerCall === '' ? null : Number(values.maxPricePerCall),
    notificationEmails: values.emails.length ? values.emails : null,
    // Beside `*`, others have no effect.
    allowedOrigins: allowsAny(values.origins) ? [ANY_ORIGIN] : values.origins,
  };
}

/** Whether visitors of a page with the key could do more than call, or call without an end. */
export function isRiskyInPages({ origins, permissions, requestLimit, spending, expenseLimit }: KeyValues): boolean {
  const limited = asLimit(requestLimit) !== null || expenseLimit !== '' || spending.some(({ amount }) => amount !== '');
  return origins.length > 0 && (!limited || permissions.some((permission) => permission !== 'predict'));
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
