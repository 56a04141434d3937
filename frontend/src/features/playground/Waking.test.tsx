import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers } from '@/testing/server';

import { Waiting } from './Result';
import type { Tried } from './tried';

const MODEL = '/api/mlpcore/account/acme/model/counter';
const TRIED: Tried = {
  account: 'acme',
  model: 'counter',
  taskType: 'custom',
  owner: false,
  runs: false,
  startable: true,
  startSeconds: 40,
  currency: null,
};
const START = { phase: 'CONNECTING', since: new Date(Date.now() - 75_000).toISOString(), usualSeconds: 40 } as const;

test('whoever wakes a service sees how far its start is, since the request and not since the call', async () => {
  answers(MODEL, modelOf({ state: 'STARTING', start: START }));
  show(<Waiting running tried={TRIED} />);
  expect(screen.getByText('The service is waking up …')).toBeVisible();
  expect(await screen.findByText('Starting and connecting')).toBeVisible();
  expect(screen.getByRole('timer')).toHaveTextContent(/^1 min .*so far$/);
  expect(screen.queryByText('The service is waking up …')).not.toBeInTheDocument();
});

test('when it runs, it works', async () => {
  answers(MODEL, modelOf({ state: 'RUNNING' }));
  show(<Waiting running tried={TRIED} />);
  expect(await screen.findByText('The service is working …')).toBeVisible();
});

test('a service that nobody wakes is asked for no start', () => {
  show(<Waiting running tried={{ ...TRIED, runs: true, startable: false }} />);
  expect(screen.getByText('The service is working …')).toBeVisible();
});
