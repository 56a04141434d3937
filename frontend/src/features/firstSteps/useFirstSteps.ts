import { useState } from 'react';

import { billingApi, coreApi } from '@/api';

export const STEPS = ['try', 'key', 'call'] as const;
export type Step = (typeof STEPS)[number];

/** Calls are recorded some seconds after they were answered. */
const POLL = { pollingInterval: 10_000, skipPollingIfUnfocused: true };

function keyOf(accountId: number): string {
  return `first-steps:${accountId}`;
}

/** Once an account has hidden or finished its first steps, this browser does not ask for them again. */
export function isOver(storage: Storage, accountId: number): boolean {
  return storage.getItem(keyOf(accountId)) !== null;
}

export function end(storage: Storage, accountId: number): void {
  storage.setItem(keyOf(accountId), 'over');
}

/** The steps that the account has done, from what the platform recorded; `null` while unknown or if it cannot tell. */
export function useFirstSteps(accountId: number) {
  const [over, setOver] = useState(() => isOver(localStorage, accountId));
  const options = { ...POLL, skip: over };
  const { data: origins, isError: noOrigins } = billingApi.useBillingGetCallOriginsQuery({ accountId }, options);
  const { data: keys, isError: noKeys } = coreApi.useCoreListAccessTokensQuery({ account: String(accountId) }, options);
  const hide = () => {
    end(localStorage, accountId);
    setOver(true);
  };
  const done: Record<Step, boolean> | null = origins && keys ? { try: origins.lastBySession !== null, key: keys.length > 0, call: origins.lastByKey !== null } : null;
  return { over, done, failed: noOrigins || noKeys, hide };
}
