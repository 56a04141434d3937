import { expect, test } from 'vitest';

import { derivationOf } from './derivation';

const PLAIN = {
  trainingModelId: null,
  trainingModelName: null,
  trainingDatasetId: null,
  trainingDatasetType: null,
  fittable: false,
};

test('a service that was not fitted and cannot be has no footer', () => {
  expect(derivationOf(PLAIN)).toEqual([]);
});

test('a fitted service names its base and what it was fitted with', () => {
  expect(
    derivationOf({
      ...PLAIN,
      trainingModelId: 4,
      trainingModelName: 'classifier',
      trainingDatasetId: 2,
      trainingDatasetType: 'json/texts-and-labels',
    }),
  ).toEqual([
    { kind: 'base', name: 'classifier' },
    { kind: 'dataset', name: 'json/texts-and-labels' },
  ]);
});

test('a service that can be fitted says so', () => {
  expect(derivationOf({ ...PLAIN, fittable: true })).toEqual([{ kind: 'fittable', name: null }]);
});
