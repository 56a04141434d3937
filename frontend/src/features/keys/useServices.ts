import { coreApi } from '@/api';

const MOST = 500;

interface Option {
  value: string;
  label: string;
}

/** Services that a key can be limited to: the account's own and public ones. Selected ones stay even if unknown. */
export function useServices(account: string): (chosen: readonly string[]) => Option[] {
  const own = coreApi.useCoreGetPagedModelsQuery({ account, onlyMy: true, size: MOST });
  const open = coreApi.useCoreGetPublicModelsQuery({ onlyPublic: true, size: MOST });
  const records = [...(own.data?.records ?? []), ...(open.data?.records ?? [])];
  const labels = new Map(records.map((model) => [`${model.id.accountId}/${model.id.modelId}`, `${model.modelAccountName ?? model.id.accountId}/${model.modelName}`]));
  return (chosen) => {
    const unknown = chosen.filter((value) => !labels.has(value)).map((value) => ({ value, label: value }));
    return [...[...labels].map(([value, label]) => ({ value, label })), ...unknown];
  };
}
