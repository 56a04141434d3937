import { useState } from 'react';

export interface Selection {
  count: number;
  all: boolean;
  has: (key: string) => boolean;
  toggle: (key: string) => void;
  toggleAll: () => void;
  clear: () => void;
}

/** Rows chosen among those that are shown. Rows that are not shown any more are not chosen. */
export function useSelection(keys: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = keys.filter((key) => chosen.has(key));
  const all = keys.length > 0 && shown.length === keys.length;
  return {
    count: shown.length,
    all,
    has: (key) => chosen.has(key),
    toggle: (key) => setChosen(new Set(chosen.has(key) ? shown.filter((other) => other !== key) : [...shown, key])),
    toggleAll: () => setChosen(new Set(all ? [] : keys)),
    clear: () => setChosen(new Set()),
  };
}
