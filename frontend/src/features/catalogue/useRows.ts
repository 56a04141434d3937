import type { ModelInfoData } from '@/api/first/generated/core.gen';

import { usePublicModels } from './useModels';

const IN_A_ROW = 3;
/** Fewer services are seen at a glance, and rows would only repeat them. */
const WORTH_ROWS = 12;
/** A row, and what may stand above it. `early/parts.ts` asks for the same. */
const ASKED = { onlyPublic: true, size: 9 };

const keyOf = ({ id }: ModelInfoData) => `${id.accountId}/${id.modelId}`;

export function without(models: readonly ModelInfoData[], above: readonly ModelInfoData[]): ModelInfoData[] {
  const shown = new Set(above.map(keyOf));
  return models.filter((model) => !shown.has(keyOf(model)));
}

/** Nothing if there are too few to fill it. */
function rowOf(models: readonly ModelInfoData[], above: readonly ModelInfoData[]): ModelInfoData[] {
  const row = without(models, above).slice(0, IN_A_ROW);
  return row.length < IN_A_ROW ? [] : row;
}

export interface RowsOfServices {
  loading: boolean;
  popular: readonly ModelInfoData[];
  newest: readonly ModelInfoData[];
}

/** The most called and the newest of so many services, each once, and none that is featured. A row that cannot be read is left out. */
export function useRows(featured: readonly ModelInfoData[], services: number): RowsOfServices {
  // Asked for at once with all others, so that nothing moves when they arrive.
  const most = usePublicModels({ ...ASKED, sort: 'popularity,desc' });
  const last = usePublicModels({ ...ASKED, sort: 'id,desc' });
  if (services < WORTH_ROWS) return { loading: false, popular: [], newest: [] };
  // A service without calls is not popular, only nobody else is more.
  const popular = rowOf(most.data?.records.filter(({ callStatistics }) => callStatistics !== null) ?? [], featured);
  return {
    loading: most.isLoading || last.isLoading,
    popular,
    newest: rowOf(last.data?.records ?? [], [...featured, ...popular]),
  };
}
