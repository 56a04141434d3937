import { coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';

/** What is shown of a data image where it is chosen. */
export type ChosenDataImage = Pick<DataImageInfoData, 'id' | 'name' | 'imageAccountName' | 'sourcePath'>;

/** Reads a data image that services of the account may mount. Null while it is not known, or when it may not be read. */
export function useDataImage(id: DataImageInfoData['id'] | null): ChosenDataImage | null {
  const { currentData } = coreApi.useCoreGetDataImageQuery(
    { account: String(id?.accountId), imageId: Number(id?.imageId) },
    { skip: id === null },
  );
  return currentData ?? null;
}
