import { useSearchParams } from 'react-router';

import { coreApi } from '@/api';

export const PAGE_SIZE = 20;

/** What the address says of the list: shareable, and the back button undoes it. */
export interface Filters {
  search: string;
  taskType: string | null;
  language: string | null;
  page: number;
}

export function readFilters(params: URLSearchParams): Filters {
  const page = Number(params.get('page') ?? 1);
  return {
    search: params.get('search') ?? '',
    taskType: params.get('TaskType'),
    language: params.get('language'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** A change of a filter leads back to the first page. */
export function withFilter(params: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (value) changed.set(name, value);
  else changed.delete(name);
  if (name !== 'page') changed.delete('page');
  return changed;
}

export function useFilters(): [Filters, (name: string, value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  return [readFilters(params), (name, value) => setParams((now) => withFilter(now, name, value), { replace: name === 'search' })];
}

export function useModels(filters: Filters) {
  return coreApi.useCoreGetPublicModelsQuery({
    modelField: filters.search || null,
    taskType: filters.taskType,
    language: filters.language,
    page: filters.page - 1,
    size: PAGE_SIZE,
    onlyPublic: true,
  });
}
