import type { BlockerFnArgs, HistoryLocation, RouterHistory } from '@tanstack/history';
import { createContext, use, useEffect, useState } from 'react';

/** The addresses of this visit, in the browser or in a test. */
export const HistoryContext = createContext<RouterHistory | null>(null);

interface Leaving {
  go: () => void;
  stay: () => void;
}

/** While `active`, other pages do not open: they are returned, to be opened or not. A change of the search alone stays on the page. */
export function useLeaving(active: boolean): Leaving | null {
  const history = use(HistoryContext);
  const [go, setGo] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!active) return;
    return history?.block({
      enableBeforeUnload: false,
      blockerFn: (move) => {
        if (move.currentLocation.pathname === move.nextLocation.pathname) return false;
        setGo(() => () => repeat(history, move));
        return true;
      },
    });
  }, [active, history]);
  if (!go) return null;
  return { go: () => (setGo(null), go()), stay: () => setGo(null) };
}

const placeOf = ({ state: { __TSR_index: place } }: HistoryLocation) => place;

function repeat(history: RouterHistory, { action, currentLocation, nextLocation }: BlockerFnArgs): void {
  const ignoring = { ignoreBlocker: true };
  const { href, state } = nextLocation;
  if (action === 'PUSH') return history.push(href, state, ignoring);
  if (action === 'REPLACE') return history.replace(href, state, ignoring);
  history.go(placeOf(nextLocation) - placeOf(currentLocation), ignoring);
}
