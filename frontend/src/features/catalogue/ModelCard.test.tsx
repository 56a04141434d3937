import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { signedOut } from '@/testing/server';

import { ModelCard } from './ModelCard';
import { formatRate } from './statistics';

const shown = (part: Partial<ModelInfoData>) =>
  show(
    <ModelCard
      model={modelOf({
        callStatistics: null,
        measuredStartTimeSec: null,
        trainingModelId: null,
        trainingModelName: null,
        trainingDatasetId: null,
        fittable: false,
        ...part,
      })}
      taskName="Other"
    />,
  );
const statistics = (part: Partial<NonNullable<ModelInfoData['callStatistics']>>) => ({
  days: 30,
  medianLatencyMs: null,
  successRate: 1,
  calls: 1,
  failedCalls: 0,
  ...part,
});

beforeEach(signedOut);

test('a running service answers at once, with its median latency and success rate', async () => {
  shown({
    state: 'RUNNING',
    callStatistics: statistics({ medianLatencyMs: 120, successRate: 0.9987, calls: 1500, failedCalls: 2 }),
  });
  expect(await screen.findByText('Answers at once')).toBeVisible();
  expect(screen.getByText(/^Median\s120\sms$/)).toBeVisible();
  expect(screen.getByText('99.8% successful')).toBeVisible();
  expect(screen.getByText(/^1\s500\scalls$/)).toBeVisible();
});

test('a stopped service says how long its start takes, as measured rather than as stated', async () => {
  shown({ state: 'INACTIVE', measuredStartTimeSec: 41.2, startTimeSec: 5 });
  expect(await screen.findByText(/about 41\ss/)).toBeVisible();
});

test('a service that waits for a server says so, and not how long a start takes', async () => {
  shown({ state: 'STARTING', waitsForServer: true, startTimeSec: 12 });
  expect(await screen.findByText('Waiting')).toBeVisible();
  expect(screen.queryByText(/12/)).toBeNull();
});

test('a service that starts says how far it is', async () => {
  shown({ state: 'STARTING', start: { phase: 'PREPARING', since: new Date().toISOString(), usualSeconds: 12 } });
  expect(await screen.findByText('Preparing the image')).toBeVisible();
  expect(screen.getByTestId('start')).toHaveTextContent(/so far · usually about 12 s/);
});

test('what is unknown is absent, not zero', async () => {
  shown({ state: 'INACTIVE' });
  expect(await screen.findByText('Not running')).toBeVisible();
  expect(screen.queryByText(/Median|successful/)).toBeNull();
});

test('a rate is rounded down, so that only a perfect one is 100 %', () => {
  expect([formatRate(0.99999, 'en'), formatRate(1, 'en'), formatRate(0.95, 'en'), formatRate(0, 'en')]).toEqual([
    '99.9%',
    '100%',
    '95%',
    '0%',
  ]);
});
