import { coreApi } from '@/api';
import type { Bounds } from '@/lib/uploads/faults';

/** What a content may have that replaces one of so many bytes. Nothing is known before the server has answered; `skip`: it is not asked. */
export function useBounds(account: string, replaced: number, { skip = false } = {}): Bounds {
  const { data } = coreApi.useCoreGetDatasetStorageQuery({ account }, { skip });
  if (!data) return { limit: undefined, free: null };
  return { limit: data.datasetLimitBytes, free: Math.max(0, data.limitBytes - data.usedBytes + replaced) };
}
