import type { S3StorageData } from '@/api/generated/core.gen';
import type { Bounds } from '@/lib/uploads/faults';

import type { Row } from './objects';

/** What is shown of the open folder. */
export interface Shown {
  folder: string;
  rows: readonly Row[];
  /** All that is in the folder, not only what begins with something, or the first pages. */
  complete: boolean;
}

/** The bytes of the object that an upload replaces. Null: it may replace one that is not listed. */
function replacedBytes(key: string, { folder, rows, complete }: Shown): number | null {
  const found = rows.find((row) => row.kind === 'object' && row.key === key);
  if (found?.kind === 'object') return found.size;
  const end = key.indexOf('/', folder.length) + 1;
  const inside = end > 0 && rows.some((row) => row.kind === 'folder' && row.prefix === key.slice(0, end));
  return complete && !inside ? 0 : null;
}

/** What an upload may have: an object that it replaces makes room, and one that is not larger is always taken. */
export function boundsOf(key: string, shown: Shown, storage: S3StorageData | undefined): Bounds {
  if (!storage) return { limit: undefined, free: null };
  const { limitBytes, usedBytes, objectLimitBytes: limit } = storage;
  const replaced = replacedBytes(key, shown);
  return { limit, free: replaced === null ? null : Math.max(replaced, limitBytes - usedBytes + replaced) };
}
