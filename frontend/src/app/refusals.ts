import { isRejectedWithValue, type Middleware } from '@reduxjs/toolkit';

import { api, isProblem } from '@/api';
import { type Consequence, consequenceOf } from '@/lib/refusals';

const WHO_AM_I = 'accountsCheckAuthorized';

interface Answered {
  meta?: { arg?: { endpointName?: string } };
  payload: unknown;
}

/** Handles refusals that concern the whole page. After the first redirect it ignores further ones. */
export function refusals(react: (consequence: Exclude<Consequence, 'signed-out'>) => void): Middleware {
  let leaving = false;
  return ({ dispatch }) =>
    (next) =>
    (action) => {
      const result = next(action);
      if (!isRejectedWithValue(action)) return result;
      const { meta, payload } = action as Answered;
      const consequence = isProblem(payload) ? consequenceOf(payload) : null;
      if (consequence === 'signed-out') {
        // The session has ended or never existed: refetching it updates everything that shows the user.
        if (meta?.arg?.endpointName !== WHO_AM_I) dispatch(api.util.invalidateTags(['Session']));
      } else if (consequence && !leaving) {
        leaving = consequence === 'select-account';
        react(consequence);
      }
      return result;
    };
}
