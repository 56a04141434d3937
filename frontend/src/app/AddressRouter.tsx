import type { HistoryLocation, RouterHistory } from '@tanstack/history';
import { type ReactNode, startTransition, useLayoutEffect, useMemo, useState } from 'react';
import { createPath, type Navigator, Router, type To } from 'react-router';

import { HistoryContext } from '@/lib/leaving';

/**
 * Shows the pages of a history. The router's own browser history comes with loaders, actions and fetchers, which are half of the
 * router's size and which this application has no use for; its small one cannot ask before a page is left.
 */
export function AddressRouter({ history, children }: { history: RouterHistory; children: ReactNode }) {
  const [shown, setShown] = useState(history.location);
  useLayoutEffect(() => history.subscribe(({ location }) => startTransition(() => setShown(location))), [history]);
  const navigator = useMemo(() => navigatorOf(history), [history]);
  return (
    <HistoryContext value={history}>
      <Router navigator={navigator} location={locationOf(shown)}>
        {children}
      </Router>
    </HistoryContext>
  );
}

const address = (to: To) => (typeof to === 'string' ? to : createPath(to));

function navigatorOf(history: RouterHistory): Navigator {
  return {
    createHref: (to) => history.createHref(address(to)),
    go: (delta) => history.go(delta),
    push: (to, state) => history.push(address(to), state),
    replace: (to, state) => history.replace(address(to), state),
  };
}

function locationOf({ pathname, search, hash, state }: HistoryLocation) {
  return { pathname, search, hash, key: state.key ?? 'default' };
}
