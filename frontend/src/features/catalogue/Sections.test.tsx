import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, signedOut } from '@/testing/server';

import { Sections } from './Sections';

const NOTHING = { callStatistics: null, measuredStartTimeSec: null, trainingModelId: null, trainingModelName: null, trainingDatasetId: null, fittable: false };
const service = (number: number, part: Partial<ModelInfoData> = {}) => modelOf({ ...NOTHING, id: { accountId: 9, modelId: number }, modelName: `s${number}`, displayName: `Service ${number}`, ...part });

function catalogue(counts: Record<string, number>, models: ModelInfoData[], featured: ModelInfoData[] = []) {
  answers('/api/mlpcore/catalog-category', { categories: Object.entries(counts).map(([taskTypeName, modelsCount]) => ({ taskTypeName, modelsCount })) });
  answers('/api/mlpcore/models/featured', featured);
  answers('/api/mlpcore/models', { paging: { totalElements: models.length, totalPages: 1 }, records: models });
}

beforeEach(() => {
  signedOut();
  catalogue({ custom: 3 }, [service(1), service(2), service(3)]);
});

test('few services of each type are one grid without sections', async () => {
  show(<Sections />);
  expect(await screen.findByRole('region', { name: 'Services' })).toBeVisible();
  expect(screen.getAllByRole('article')).toHaveLength(3);
  expect(screen.queryByText(/View all/)).toBeNull();
});

test('a type with four services begins the sections', async () => {
  catalogue({ ner: 1, custom: 4 }, [service(1)]);
  show(<Sections />);
  expect(await screen.findByRole('region', { name: 'Other' })).toBeVisible();
  expect(screen.getByText('View all (4)')).toBeVisible();
});

test('featured services come first and are not repeated in the grid', async () => {
  catalogue({ custom: 2 }, [service(1), service(2)], [service(2)]);
  show(<Sections />);
  expect(await screen.findByRole('region', { name: 'Featured' })).toHaveTextContent('Service 2');
  const others = await screen.findByRole('region', { name: 'More services' });
  expect(others).toHaveTextContent('Service 1');
  expect(others).not.toHaveTextContent('Service 2');
});
