import { use, useCallback, useEffect } from 'react';
import { useLocation, useSearchParams } from 'react-router';

import { HistoryContext } from './leaving';

type Update = (now: URLSearchParams) => URLSearchParams;
type Options = Parameters<ReturnType<typeof useSearchParams>[1]>[1];

/** The last change that no page has rendered yet: parameters before and after it. There is one address, so one such change. */
let unseen: { before: string; after: URLSearchParams } | null = null;

/**
 * Returns the parameters of the address, and a function that changes them.
 *
 * The router gives an update the parameters of the last rendering. Two changes before the next rendering, such as a search
 * whose delay ends while a click opens a row, would lose the first one. Here the second change begins with the first one's
 * result.
 *
 * A page that is left changes nothing: it stays until the next one has loaded, and its change, such as of a search whose delay
 * ends then, would go back to it.
 */
export function useAddressParams(): [URLSearchParams, (update: Update, options?: Options) => void] {
  const [params, setParams] = useSearchParams();
  const history = use(HistoryContext);
  const { pathname } = useLocation();
  useEffect(() => {
    if (unseen?.before !== params.toString()) unseen = null;
  }, [params]);
  const change = useCallback(
    (update: Update, options?: Options) => {
      if (history && history.location.pathname !== pathname) return;
      setParams((rendered) => {
        const before = rendered.toString();
        const after = update(unseen?.before === before ? unseen.after : rendered);
        unseen = { before, after };
        return after;
      }, options);
    },
    [history, pathname, setParams],
  );
  return [params, change];
}
