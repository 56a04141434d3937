import { useTranslation } from 'react-i18next';

import type { ServerTemplateData } from '@/api/generated/core.gen';
import { Money } from '@/components/format/Money';
import { formatNumber } from '@/lib/format/number';
import { amountOf, quantity } from '@/lib/format/resources';

/** What a server of the template has, in one line; null if the template does not say it. */
export function useCapacityText(): (template: Pick<ServerTemplateData, 'capacity'>) => string | null {
  const { t } = useTranslation('Templates');
  return ({ capacity }) => {
    if (!capacity) return null;
    const cores = amountOf(capacity.cpu);
    const counts = new Map<string, number>();
    for (const model of capacity.gpuModels) counts.set(model, (counts.get(model) ?? 0) + 1);
    return [
      t('cores', { count: cores ?? 0, shown: cores === null ? capacity.cpu : formatNumber(cores) }),
      t('ofMemory', { size: quantity(capacity.memory) }),
      t('ofDisk', { size: quantity(capacity.disk) }),
      ...Array.from(counts, ([model, count]) => (count === 1 ? model : `${formatNumber(count)} × ${model}`)),
    ].join(', ');
  };
}

/** What a server of the template costs. */
export function TemplatePrice({ template }: { template: ServerTemplateData }) {
  const { t } = useTranslation('Templates');
  const { tarifficationPrice: price, tarifficationPeriod: period, currency } = template;
  const { t: keys } = useTranslation('Keys');
  if (price === 0) return t('Catalog:free');
  return (
    <>
      <Money price amount={price} currency={currency ?? undefined} />
      {period && ` ${keys(`each.${period}`)}`}
    </>
  );
}
