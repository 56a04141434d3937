import { useState } from 'react';

import { billingApi, coreApi } from '@/api';

import { end, isOver } from './over';

export const STEPS = ['try', 'key', 'call'] as const;
export type Step = (typeof STEPS)[number];

/** Calls are recorded some seconds after they were answered. */
const POLL = { pollingInterval: 10_000, skipPollingIfUnfocused: true };

/** The steps that the account has done, from what the platform recorded; `null` while unknown or if it cannot tell (`failed`). */
export function useFirstSteps(accountId: number) {
  const [over, setOver] = useState(() => isOver(localStorage, accountId));
  const options = { ...POLL, skip: over };
  const { data: origins, isError: originsFail } = billingApi.useBillingGetCallOriginsQuery({ accountId }, options);
  const { data: keys, isError: keysFail } = coreApi.useCoreListAccessTokensQuery(
    { account: String(accountId) },
    options,
  );
  const hide = () => {
    end(localStorage, accountId);
    setOver(true);
  };
  const done: Record<Step, boolean> | null =
    origins && keys
      ? { try: origins.lastBySession !== null, key: keys.length > 0, call: origins.lastByKey !== null }
      : null;
  return { over, done, failed: (originsFail && !origins) || (keysFail && !keys), hide };
}
