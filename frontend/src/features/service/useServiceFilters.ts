import { useSearchParams } from 'react-router';

export const OWNERSHIPS = ['mine', 'others', 'all'] as const;
export type Ownership = (typeof OWNERSHIPS)[number];

export const PUBLICITIES = ['public', 'private', 'restricted'] as const;
export type Publicity = (typeof PUBLICITIES)[number];

/** The list's state in the address. Group `0`: services without a group. */
export interface ServiceFilters {
  search: string;
  taskType: string | null;
  group: string | null;
  publicity: Publicity | null;
  ownership: Ownership;
  sort: string;
  page: number;
}

export const SORT_FIELDS = ['name', 'taskType', 'lastActivity', 'id'] as const;
const DEFAULT_SORT = 'id,desc';

export function readServiceFilters(params: URLSearchParams): ServiceFilters {
  const page = Number(params.get('page') ?? 1);
  const [field, direction] = (params.get('sort') ?? '').split(',');
  const sorted = SORT_FIELDS.some((known) => known === field) && (direction === 'asc' || direction === 'desc');
  const group = params.get('group');
  return {
    search: params.get('search') ?? '',
    taskType: params.get('TaskType'),
    group: group !== null && /^\d+$/.test(group) ? group : null,
    publicity: PUBLICITIES.find((known) => known === params.get('publicity')) ?? null,
    ownership: OWNERSHIPS.find((known) => known === params.get('ownership')) ?? 'mine',
    sort: sorted ? `${field},${direction}` : DEFAULT_SORT,
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** A click on a column sorts by it; another click reverses the order. */
export function nextSort(current: string, field: string): string {
  return current === `${field},asc` ? `${field},desc` : `${field},asc`;
}

export function useServiceFilters(): [ServiceFilters, (name: string, value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const change = (name: string, value: string | null) =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now);
        if (value) changed.set(name, value);
        else changed.delete(name);
        if (name !== 'page') changed.delete('page');
        return changed;
      },
      { replace: name === 'search' },
    );
  return [readServiceFilters(params), change];
}
