import type { ListState } from '@/components/list/useListState';
import { useAddressParams } from '@/lib/useAddressParams';

import { partsOf } from './paths';

export interface Place {
  prefix: string;
  /** The open folder. Files are uploaded there. */
  folder: string;
  /** The list's state: its search is what names in the folder begin with. */
  state: ListState<never>;
  open: (prefix: string) => void;
}

const nothing = () => undefined;

/** What the page shows of the bucket: the prefix in the address. */
export function usePlace(): Place {
  const [params, setParams] = useAddressParams();
  const prefix = params.get('prefix') ?? '';
  const { folder, begins } = partsOf(prefix);
  const go = (wanted: string, replace = false) =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now);
        if (wanted) changed.set('prefix', wanted);
        else changed.delete('prefix');
        return changed;
      },
      { replace },
    );
  const state: ListState<never> = {
    search: begins,
    filters: {},
    sort: null,
    page: 1,
    narrowed: begins !== '',
    setSearch: (text) => go(folder + (text ?? ''), true),
    reset: () => go(folder),
    // The server lists in the order of keys, and page after page.
    setFilter: nothing,
    toggleSort: nothing,
    setSort: nothing,
    setPage: nothing,
  };
  return { prefix, folder, state, open: (wanted) => go(wanted) };
}
