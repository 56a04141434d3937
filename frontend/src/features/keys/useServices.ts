import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';

import { serviceKey } from './keyValues';

const MOST = 500;

interface Option {
  value: string;
  label: string;
}

/** Services that a key can be limited to: the account's own and public ones. Selected ones stay even if unknown. */
export function useServices(account: string): (chosen: readonly string[]) => Option[] {
  const { labels } = useServiceNames(account);
  return (chosen) => {
    const unknown = chosen.filter((value) => !labels.has(value)).map((value) => ({ value, label: value }));
    return [...[...labels].map(([value, label]) => ({ value, label })), ...unknown];
  };
}

/** The services that a key can be limited to, the account's own first. With `skip`, none is asked for. */
export function useKnownServices(
  account: string,
  skip = false,
): { services: readonly ModelInfoData[]; isLoading: boolean } {
  const own = coreApi.useCoreGetPagedModelsQuery({ account, onlyMy: true, size: MOST }, { skip });
  const open = coreApi.useCoreGetPublicModelsQuery({ onlyPublic: true, size: MOST }, { skip });
  return {
    services: [...(own.data?.records ?? []), ...(open.data?.records ?? [])],
    isLoading: own.isLoading || open.isLoading,
  };
}

/** Names of services by the keys of their ids. With `skip`, none is asked for. */
export function useServiceNames(
  account: string,
  skip = false,
): { labels: ReadonlyMap<string, string>; isLoading: boolean } {
  const { services, isLoading } = useKnownServices(account, skip);
  const labels = new Map(
    services.map((model) => [
      serviceKey(model.id),
      `${model.modelAccountName ?? model.id.accountId}/${model.modelName}`,
    ]),
  );
  return { labels, isLoading };
}
