import { firstApi } from '@/api/first';
import { whileSomeStart } from '@/lib/polls';
import { useAddressParams } from '@/lib/useAddressParams';

export const PAGE_SIZE = 20;

/** The list's state in the address: it can be shared, and the back button reverts it. */
export interface Filters {
  search: string;
  taskType: string | null;
  language: string | null;
  sort: Sort;
  page: number;
}

export const SORTS = ['new', 'popular', 'name', 'used'] as const;
export type Sort = (typeof SORTS)[number];
const ORDER: Record<Sort, string> = {
  new: 'id,desc',
  popular: 'popularity,desc',
  name: 'name,asc',
  used: 'lastActivity,desc',
};

export function readFilters(params: URLSearchParams): Filters {
  const page = Number(params.get('page') ?? 1);
  return {
    search: params.get('search') ?? '',
    taskType: params.get('TaskType'),
    language: params.get('language'),
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? 'new',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** Changing a filter returns to the first page. */
export function withFilter(params: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (value) changed.set(name, value);
  else changed.delete(name);
  if (name !== 'page') changed.delete('page');
  return changed;
}

export function useFilters(): [Filters, (name: string, value: string | null) => void] {
  const [params, setParams] = useAddressParams();
  return [
    readFilters(params),
    (name, value) => setParams((now) => withFilter(now, name, value), { replace: name === 'search' }),
  ];
}

export const orderOf = (sort: Sort) => ORDER[sort];

export function useModels(filters: Filters, options: { skip?: boolean } = {}) {
  return usePublicModels(
    {
      modelField: filters.search || null,
      taskType: filters.taskType,
      language: filters.language,
      page: filters.page - 1,
      size: PAGE_SIZE,
      onlyPublic: true,
      sort: orderOf(filters.sort),
    },
    options,
  );
}

/** Asked again and again while a service among them starts: its card counts. */
export function usePublicModels(
  asked: Parameters<typeof firstApi.useCoreGetPublicModelsQuery>[0],
  { skip = false }: { skip?: boolean } = {},
) {
  const query = firstApi.useCoreGetPublicModelsQuery(asked, { skip });
  const soon = whileSomeStart(query.currentData?.records);
  firstApi.useCoreGetPublicModelsQuery(asked, { ...soon, skip: skip || soon.skip });
  return query;
}

/** Named groups first, then all others. */
export function inOrder<Category extends { taskTypeName: string }>(categories: readonly Category[]): Category[] {
  const isOther = ({ taskTypeName }: Category) => Number(taskTypeName === 'custom');
  return categories.toSorted((a, b) => isOther(a) - isOther(b));
}
