import type { ModelInfoData } from '@/api/generated/core.gen';

export interface Derivation {
  kind: 'base' | 'dataset' | 'fittable';
  name: string | null;
}

type Derived = Pick<ModelInfoData, 'trainingModelId' | 'trainingModelName' | 'trainingDatasetId' | 'trainingDatasetType' | 'fittable'>;

/** The footer of a card: of a fitted service its base and its dataset; of one that can be fitted, that it can. */
export function derivationOf(model: Derived): Derivation[] {
  const facts: Derivation[] = [];
  if (model.trainingModelId !== null || model.trainingModelName !== null) facts.push({ kind: 'base', name: model.trainingModelName });
  if (model.trainingDatasetId !== null) facts.push({ kind: 'dataset', name: model.trainingDatasetType });
  if (model.fittable) facts.push({ kind: 'fittable', name: null });
  return facts;
}
