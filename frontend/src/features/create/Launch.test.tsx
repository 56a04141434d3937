import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn } from '@/testing/server';

import { Launch } from './Launch';

const PATH = '/workspace/create-service';
const MODEL = '/api/mlpcore/account/9/model/counter';

const status = (state: string, startTimeSeconds: number | null = null) => answers(`${MODEL}/status`, { state, startTimeSeconds });

beforeEach(() => signedIn({ accountId: 9 }));

test('a running service opens its playground', async () => {
  status('RUNNING');
  const { history } = show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  await waitFor(() => expect(history.location.pathname).toBe('/workspace/model/9/3'));
});

test('a service that starts says how long that usually takes', async () => {
  status('STARTING', 40);
  show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  expect(await screen.findByText(/it usually takes about 40 s/)).toBeInTheDocument();
});

test('a service that waits for room says so, and not that it starts', async () => {
  const waiting = { reason: 'NotEnoughRoom', message: null, details: { servers: 1, lacking: [{ what: 'cpu', servers: 1, missing: 500 }], limit: null } };
  answers(`${MODEL}/status`, { state: 'STARTING', startTimeSeconds: 40, waiting });
  answers('/api/mlpcore/account/9/deployable-resource-groups', []);
  show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  expect(await screen.findByText('Waiting for room')).toBeInTheDocument();
  expect(screen.queryByText(/it usually takes/)).not.toBeInTheDocument();
  expect(screen.getByRole('alert', { name: 'An instance waits for a server' })).toHaveTextContent('lack CPU cores (0.5 or more): 1');
});

test('a service without an instance is started by a button', async () => {
  status('INACTIVE');
  const started: unknown[] = [];
  server.use(http.post(`*${MODEL}/instances/single`, () => (started.push(true), new HttpResponse(null))));
  show(<Launch account="9" model={modelOf({ state: 'INACTIVE' })} />, { path: PATH });
  await userEvent.click(await screen.findByRole('button', { name: 'Start' }));
  await waitFor(() => expect(started).toHaveLength(1));
});

test('an external service shows how to connect an instance', async () => {
  status('INACTIVE');
  answers(`${MODEL}/external`, []);
  show(<Launch account="9" model={modelOf({ state: 'INACTIVE', hostingType: 'EXTERNAL' })} />, { path: PATH });
  expect(await screen.findByRole('button', { name: 'Add an external instance' })).toBeInTheDocument();
});
