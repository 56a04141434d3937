import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { needsOf } from '@/early/parts';
import { answers, refusal, server, signedOut } from '@/testing/server';

import { Sections } from './Sections';

const NOTHING = {
  callStatistics: null,
  measuredStartTimeSec: null,
  trainingModelId: null,
  trainingModelName: null,
  trainingDatasetId: null,
  fittable: false,
};
const service = (number: number, part: Partial<ModelInfoData> = {}) =>
  modelOf({
    ...NOTHING,
    id: { accountId: 9, modelId: number },
    modelName: `s${number}`,
    displayName: `Service ${number}`,
    ...part,
  });

function catalogue(counts: Record<string, number>, models: ModelInfoData[], featured: ModelInfoData[] = []) {
  answers('/api/mlpcore/catalog-category', {
    categories: Object.entries(counts).map(([taskTypeName, modelsCount]) => ({ taskTypeName, modelsCount })),
  });
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

const named = (number: number) => `Service ${number}`;
const titles = (region: HTMLElement) =>
  within(region)
    .getAllByRole('article')
    .map((card) => within(card).getAllByRole('link')[0]?.textContent);

describe('in a catalogue of many services', () => {
  const CALLED = { days: 30, medianLatencyMs: 100, successRate: 1, calls: 1, failedCalls: 0 };
  const all = Array.from({ length: 16 }, (_, index) =>
    service(index + 1, { callStatistics: index < 8 || index === 15 ? CALLED : null }),
  );
  const popular = [...all.slice(15), ...all.slice(0, 15)];
  const newest = all.toReversed();

  /** Answers in the order that is asked for, and remembers the addresses. */
  function ordered(most = popular): string[] {
    const asked: string[] = [];
    catalogue({ ner: 10, custom: 6 }, [], [service(2)]);
    server.use(
      http.get('*/api/mlpcore/models', ({ request }) => {
        const { pathname, search, searchParams } = new URL(request.url);
        asked.push(pathname + search);
        const records = searchParams.get('taskType')
          ? all.slice(0, 3)
          : (searchParams.get('sort') === 'id,desc' ? newest : most).slice(0, Number(searchParams.get('size')));
        return HttpResponse.json({ paging: { totalElements: all.length, totalPages: 1 }, records } as never);
      }),
    );
    return asked;
  }

  test('the popular and the new ones have rows, and none stands in two of them', async () => {
    const asked = ordered();
    show(<Sections />);
    expect(titles(await screen.findByRole('region', { name: 'Featured' }))).toEqual([named(2)]);
    expect(titles(screen.getByRole('region', { name: 'Popular' }))).toEqual([named(16), named(1), named(3)]);
    expect(titles(screen.getByRole('region', { name: 'New' }))).toEqual([named(15), named(14), named(13)]);
    expect(needsOf('/catalog').asks).toEqual(
      expect.arrayContaining(asked.filter((address) => !address.includes('taskType'))),
    );
  });

  test('services that nobody calls are not popular', async () => {
    ordered(all.slice(8, 15));
    show(<Sections />);
    expect(await screen.findByRole('region', { name: 'New' })).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Popular' })).toBeNull();
  });

  test('rows that cannot be read leave the sections', async () => {
    ordered();
    server.use(
      http.get('*/api/mlpcore/models', ({ request }) =>
        request.url.includes('taskType')
          ? undefined
          : HttpResponse.json(refusal('mlp.core.unavailable', 503), { status: 503 }),
      ),
    );
    show(<Sections />);
    expect(await screen.findByText('View all (10)')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'New' })).toBeNull();
  });
});

test('few services have no rows', async () => {
  catalogue({ custom: 3 }, [
    service(1, { callStatistics: { days: 30, medianLatencyMs: 1, successRate: 1, calls: 1, failedCalls: 0 } }),
    service(2),
    service(3),
  ]);
  show(<Sections />);
  expect(await screen.findByRole('region', { name: 'Services' })).toBeVisible();
  expect(screen.queryByRole('region', { name: 'New' })).toBeNull();
});
