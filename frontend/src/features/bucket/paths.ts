/** Keys of objects as paths: a folder is what keys have in common up to a `/`. Nothing else makes a folder exist. */
const DELIMITER = '/';

export interface Folder {
  name: string;
  prefix: string;
}

/** A prefix is the folder that it is in, and what names in it begin with. */
export function partsOf(prefix: string): { folder: string; begins: string } {
  const end = prefix.lastIndexOf(DELIMITER) + 1;
  return { folder: prefix.slice(0, end), begins: prefix.slice(end) };
}

/** The folders from the top of the bucket to this one. */
export function wayTo(folder: string): Folder[] {
  const names = folder.split(DELIMITER).slice(0, -1);
  return names.map((name, at) => ({ name, prefix: `${names.slice(0, at + 1).join(DELIMITER)}${DELIMITER}` }));
}

/** The address of what a prefix lists, relative to the page. */
export const searchOf = (prefix: string): string => (prefix ? `?${new URLSearchParams({ prefix }).toString()}` : '?');

/** Names that the platform refuses in keys. */
const REFUSED = /^\.{1,2}$|[\p{Cc}\p{Cf}\\]/u;

/** A folder's path as it was typed, cleaned, with a `/` at its end. Empty: there is no name. Null: it is not possible. */
export function typedFolder(typed: string): string | null {
  const names = typed
    .split(DELIMITER)
    .map((name) => name.trim())
    .filter(Boolean);
  return names.some((name) => REFUSED.test(name)) ? null : names.map((name) => name + DELIMITER).join('');
}

/** An upload and a download are no calls of the API's client. */
export const contentPath = (account: string, key: string): string =>
  `/api/mlpcore/account/${encodeURIComponent(account)}/s3/content?${new URLSearchParams({ key }).toString()}`;
