import type { AccessTokenData, KeyPermission, ModelInfoPk } from '@/api/generated/core.gen';

export interface KeyChoice {
  /** The key's number within its account. */
  value: string;
  label: string;
  usable: boolean;
}

const PREDICT: KeyPermission = 'predict';

/** Whether a key may call this service. */
export function mayCall(
  key: Pick<AccessTokenData, 'permissions' | 'allowedServices' | 'expiresAt'>,
  model: ModelInfoPk,
  now: number,
): boolean {
  if (!key.permissions.includes(PREDICT)) return false;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now) return false;
  return (
    key.allowedServices === null ||
    key.allowedServices.some(({ accountId, modelId }) => accountId === model.accountId && modelId === model.modelId)
  );
}

export function keyChoices(
  keys: readonly AccessTokenData[],
  model: ModelInfoPk,
  now: number = Date.now(),
): KeyChoice[] {
  return keys.map((key) => ({
    value: key.token.split('.')[1] ?? key.token,
    label: key.name,
    usable: mayCall(key, model, now),
  }));
}

/** The form of a new key, which returns to the present page. */
export function newKeyAddress(back: string): string {
  return `/workspace/api-keys?new=1&back=${encodeURIComponent(back)}`;
}
