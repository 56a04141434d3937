import { api } from '@/api';
import type {
  S3DeleteData,
  S3DeletedData,
  S3FolderData,
  S3ObjectData,
  S3ObjectListData,
} from '@/api/generated/core.gen';

import { partsOf } from './paths';

const PAGE_SIZE = 200;
/** A folder may hold very many objects. */
const DELETION_MS = 600_000;

export type Row = ({ kind: 'folder' } & S3FolderData) | ({ kind: 'object' } & S3ObjectData);

interface Listed {
  account: string;
  prefix: string;
}

const pathOf = (account: string) => `/api/mlpcore/account/${encodeURIComponent(account)}/s3`;

/** By hand, since a generated query cannot append a page to those before, and a generated mutation has the usual time limit. */
export const objectsApi = api.injectEndpoints({
  endpoints: (build) => ({
    objects: build.infiniteQuery<S3ObjectListData, Listed, string | null>({
      infiniteQueryOptions: { initialPageParam: null, getNextPageParam: ({ next }) => next },
      query: ({ queryArg: { account, prefix }, pageParam }) => ({
        url: `${pathOf(account)}/object`,
        params: { prefix, after: pageParam, limit: PAGE_SIZE },
      }),
      providesTags: ['Bucket'],
    }),
    deleteObjects: build.mutation<S3DeletedData, { account: string; what: S3DeleteData }>({
      query: ({ account, what }) => ({
        url: `${pathOf(account)}/delete`,
        method: 'POST',
        body: what,
        timeout: DELETION_MS,
      }),
      invalidatesTags: ['Bucket'],
    }),
  }),
});

/**
 * The folders and objects of all pages; a folder may be on two of them. Programs make folders by empty objects with the
 * folder's own key, which are no files. Names are what follows the open folder, also where the prefix begins a name.
 */
export function rowsOf(pages: readonly S3ObjectListData[]): Row[] {
  const { folder } = partsOf(pages[0]?.prefix ?? '');
  const prefixes = new Set(pages.flatMap(({ folders }) => folders.map(({ prefix }) => prefix)));
  const objects = pages.flatMap((page) => page.objects).filter(({ key, size }) => key !== folder || size > 0);
  return [
    ...[...prefixes].map((prefix): Row => ({ kind: 'folder', prefix, name: prefix.slice(folder.length, -1) })),
    ...objects.map((object): Row => ({ kind: 'object', ...object, name: object.key.slice(folder.length) })),
  ];
}

export const rowKey = (row: Row): string => (row.kind === 'folder' ? `folder ${row.prefix}` : `object ${row.key}`);

/** What a request may delete at most. */
const MOST_KEYS = 1000;
const MOST_PREFIXES = 100;

/** What is to be deleted, in requests of allowed sizes. */
export function deletionsOf(rows: readonly Row[]): Required<S3DeleteData>[] {
  const keys = rows.flatMap((row) => (row.kind === 'object' ? [row.key] : []));
  const prefixes = rows.flatMap((row) => (row.kind === 'folder' ? [row.prefix] : []));
  const count = Math.max(Math.ceil(keys.length / MOST_KEYS), Math.ceil(prefixes.length / MOST_PREFIXES));
  return Array.from({ length: count }, (_, at) => ({
    keys: keys.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS),
    prefixes: prefixes.slice(at * MOST_PREFIXES, (at + 1) * MOST_PREFIXES),
  }));
}
