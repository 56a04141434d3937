import { useAddressParams } from '@/lib/useAddressParams';

export interface Sort {
  field: string;
  descending: boolean;
}

/** What a list can be narrowed and sorted by. */
export interface ListOptions<Filter extends string = never> {
  /** Values of each filter; null allows every text. The address may hold nonsense, which counts as nothing. */
  filters?: Readonly<Record<Filter, readonly string[] | null>>;
  sort?: { fields: readonly string[]; initial: Sort };
  /** Prefix of the parameters, where a page has several lists. */
  scope?: string;
}

/** A list's state in the address: it can be shared, and the back button reverts it. */
export interface ListState<Filter extends string = string> {
  search: string;
  filters: Readonly<Record<Filter, string | null>>;
  sort: Sort | null;
  /** Counts from 1. */
  page: number;
  /** Whether a search or a filter is set. */
  narrowed: boolean;
  setSearch: (text: string | null) => void;
  setFilter: (name: Filter, value: string | null) => void;
  /** Sorts upwards by a field, or downwards if it already sorts upwards by it. */
  toggleSort: (field: string) => void;
  setSort: (sort: Sort) => void;
  setPage: (page: number) => void;
  /** Clears the search and all filters. */
  reset: () => void;
}

type Read<Filter extends string> = Pick<ListState<Filter>, 'search' | 'filters' | 'sort' | 'page' | 'narrowed'>;

const EMPTY = {};

export function readListState<Filter extends string = never>(
  params: URLSearchParams,
  { filters, sort, scope }: ListOptions<Filter>,
): Read<Filter> {
  const read = (name: string) => params.get(nameIn(scope, name));
  const names = Object.entries(filters ?? EMPTY) as [Filter, readonly string[] | null][];
  const chosen = names.map(([name, values]) => {
    const value = read(name);
    return [name, value !== null && (values === null || values.includes(value)) ? value : null] as const;
  });
  const [field = '', direction] = (read('sort') ?? '').split(',');
  const sorted = sort?.fields.includes(field) && (direction === 'asc' || direction === 'desc');
  const page = Number(read('page') ?? 1);
  const search = read('search') ?? '';
  return {
    search,
    filters: Object.fromEntries(chosen) as Record<Filter, string | null>,
    sort: sorted ? { field, descending: direction === 'desc' } : (sort?.initial ?? null),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    narrowed: search !== '' || chosen.some(([, value]) => value !== null),
  };
}

const nameIn = (scope: string | undefined, name: string) => (scope ? `${scope}.${name}` : name);

export const asText = ({ field, descending }: Sort): string => `${field},${descending ? 'desc' : 'asc'}`;

export function useListState<Filter extends string = never>(options: ListOptions<Filter> = {}): ListState<Filter> {
  const [params, setParams] = useAddressParams();
  const state = readListState(params, options);
  const change = (values: Readonly<Record<string, string | null>>, replace = false) =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now);
        // Any other list begins at its first page.
        for (const [name, value] of Object.entries({ page: null, ...values })) {
          if (value) changed.set(nameIn(options.scope, name), value);
          else changed.delete(nameIn(options.scope, name));
        }
        return changed;
      },
      { replace },
    );
  return {
    ...state,
    setSearch: (search) => change({ search }, true),
    setFilter: (name, value) => change({ [name]: value }),
    toggleSort: (field) =>
      change({ sort: asText({ field, descending: state.sort?.field === field && !state.sort.descending }) }),
    setSort: (sort) => change({ sort: asText(sort) }),
    setPage: (page) => change({ page: page > 1 ? String(page) : null }),
    reset: () =>
      change(Object.fromEntries(['search', ...Object.keys(options.filters ?? EMPTY)].map((name) => [name, null]))),
  };
}
