import type { ModelInfoData } from '@/api/generated/core.gen';

export interface Derivation {
  kind: 'base' | 'dataset' | 'fittable';
  name: string | null;
}

type Derived = Pick<
  ModelInfoData,
  'trainingModelId' | 'trainingModelName' | 'trainingDatasetId' | 'trainingDatasetType' | 'fittable'
>;

/** The footer of a card: base and dataset of a fitted service, or that a service can be fitted. */
export function derivationOf(model: Derived): Derivation[] {
  const facts: Derivation[] = [];
  if (model.trainingModelId !== null || model.trainingModelName !== null)
    facts.push({ kind: 'base', name: model.trainingModelName });
  if (model.trainingDatasetId !== null) facts.push({ kind: 'dataset', name: model.trainingDatasetType });
  if (model.fittable) facts.push({ kind: 'fittable', name: null });
  return facts;
}
