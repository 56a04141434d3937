import type { AccessTokenData } from '@/api/generated/core.gen';

/** With fewer keys no search is needed. */
export const SEARCHED_FROM = 10;
const PAGE_SIZE = 50;

/** A page of the keys whose names contain the text, newest first. A missing page is replaced by the nearest. */
export function keysShown(keys: readonly AccessTokenData[], search: string, asked: number): { shown: AccessTokenData[]; page: number; pages: number } {
  const text = search.toLowerCase();
  const found = keys.filter(({ name }) => name.toLowerCase().includes(text)).toSorted((one, other) => other.creationDate.localeCompare(one.creationDate));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pages) : 1;
  return { shown: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), page, pages };
}
