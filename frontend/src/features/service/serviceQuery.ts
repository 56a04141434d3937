import type { Sort } from '@/components/list/useListState';

export const PAGE_SIZE = 50;

/** Services without a group. */
export const NO_GROUP = '0';

export const FILTERS = {
  /** Not set: the account's own services. */
  ownership: ['others', 'all'],
  TaskType: null,
  group: null,
  publicity: ['public', 'private', 'restricted'],
} as const;
export type ServiceFilter = keyof typeof FILTERS;

export const SORT: { fields: readonly string[]; initial: Sort } = {
  fields: ['name', 'taskType', 'lastActivity', 'id'],
  initial: { field: 'id', descending: true },
};

/** What the server is asked for. */
export function queryOf({ ownership, TaskType, group, publicity }: Readonly<Record<ServiceFilter, string | null>>) {
  return {
    onlyMy: ownership === null,
    onlyOthers: ownership === 'others',
    onlyPublic: publicity === 'public',
    onlyPrivate: publicity === 'private',
    onlyRestricted: publicity === 'restricted',
    taskType: TaskType,
    groupId: group !== null && /^\d+$/.test(group) ? Number(group) : null,
  };
}
