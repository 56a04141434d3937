import { isRejectedWithValue, type Middleware } from '@reduxjs/toolkit';

import { api, isProblem } from '@/api';
import { type Consequence, consequenceOf } from '@/lib/refusals';

const WHO_AM_I = 'accountsCheckAuthorized';

interface Answered {
  meta?: { arg?: { endpointName?: string } };
  payload: unknown;
}

/** Tells of refusals that concern the whole page. After the first that leads elsewhere the page is on its way out. */
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
        // The session ended meanwhile, or it never was: asked once more, everything that shows who is signed in follows.
        if (meta?.arg?.endpointName !== WHO_AM_I) dispatch(api.util.invalidateTags(['Session']));
      } else if (consequence && !leaving) {
        leaving = consequence === 'select-account';
        react(consequence);
      }
      return result;
    };
}
