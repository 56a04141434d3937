import { useCallback, useEffect } from 'react';
import { useSearchParams } from 'react-router';

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
 */
export function useAddressParams(): [URLSearchParams, (update: Update, options?: Options) => void] {
  const [params, setParams] = useSearchParams();
  useEffect(() => {
    if (unseen?.before !== params.toString()) unseen = null;
  }, [params]);
  const change = useCallback(
    (update: Update, options?: Options) =>
      setParams((rendered) => {
        const before = rendered.toString();
        const after = update(unseen?.before === before ? unseen.after : rendered);
        unseen = { before, after };
        return after;
      }, options),
    [setParams],
  );
  return [params, change];
}
