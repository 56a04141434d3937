import { isRejectedWithValue, type Middleware } from '@reduxjs/toolkit';

import { api } from '@/api/base';
import { firstApi, isProblem } from '@/api/first';
import { type Consequence, consequenceOf } from '@/lib/refusals';

const WHO_AM_I = 'accountsGetSession';

interface Answered {
  meta?: { arg?: { endpointName?: string; originalArgs?: unknown } };
  payload: unknown;
}

/** Path parameters of the services that name an account. */
function accountIn(args: unknown): string | null {
  const { account, accountId } = (typeof args === 'object' && args !== null ? args : {}) as Record<string, unknown>;
  const named = account ?? accountId;
  return typeof named === 'string' || typeof named === 'number' ? String(named) : null;
}

type SessionState = Parameters<ReturnType<typeof firstApi.endpoints.accountsGetSession.select>>[0];

/** Whether a call named another account than the selected one. */
function isOfAnother(state: SessionState, args: unknown): boolean {
  const selected = firstApi.endpoints.accountsGetSession.select()(state).data?.user?.accountId ?? null;
  const named = accountIn(args);
  return selected !== null && named !== null && named !== String(selected);
}

/** Handles refusals that concern the whole page. After the first redirect it ignores further ones. */
export function refusals(react: (consequence: Exclude<Consequence, 'signed-out'>) => void): Middleware {
  let leaving = false;
  return (store) => (next) => (action) => {
    const result = next(action);
    if (!isRejectedWithValue(action)) return result;
    const { meta, payload } = action as Answered;
    const ofAnother = isOfAnother(store.getState() as SessionState, meta?.arg?.originalArgs);
    const consequence = isProblem(payload) ? consequenceOf(payload, ofAnother) : null;
    if (consequence === 'signed-out') {
      // The session has ended or never existed: refetching it updates everything that shows the user.
      if (meta?.arg?.endpointName !== WHO_AM_I) store.dispatch(api.util.invalidateTags(['Session']));
    } else if (consequence && !leaving) {
      leaving = consequence === 'select-account';
      react(consequence);
    }
    return result;
  };
}
