import type { ModelInfoData } from '@/api/generated/core.gen';
import { startSecondsOf } from '@/features/catalogue/statistics';
import { offerOf } from '@/lib/pricing';
import { stateOf } from '@/lib/waiting';

/** Zero: it answers at once. Null: nobody knows. */
export function waitOf(
  model: Pick<ModelInfoData, 'state' | 'waitsForServer' | 'measuredStartTimeSec' | 'startTimeSec'> & {
    start?: ModelInfoData['start'];
  },
): number | null {
  if (stateOf(model) === 'WAITING') return null;
  return model.state === 'RUNNING' ? 0 : startSecondsOf(model);
}

/** Of services that are charged by the same unit; null if the price says nothing about a call. */
export function comparablePrice(
  model: Pick<ModelInfoData, 'billingSettings'>,
  models: readonly Pick<ModelInfoData, 'billingSettings'>[],
): number | null {
  const units = new Set(models.map(({ billingSettings }) => offerOf(billingSettings, 0)?.unit ?? 'free'));
  units.delete('free');
  if (units.size > 1 || units.has('direct')) return null;
  return offerOf(model.billingSettings, 0)?.unitPrice ?? 0;
}

/** The places of the best value; none if all are equal, or fewer than two are known. */
export function bestOf(values: readonly (number | null)[], better: 'low' | 'high'): ReadonlySet<number> {
  const known = values.filter((value) => value !== null);
  if (new Set(known).size < 2) return new Set();
  const best = better === 'low' ? Math.min(...known) : Math.max(...known);
  return new Set(values.flatMap((value, index) => (value === best ? [index] : [])));
}
