import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import type { StartData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn } from '@/testing/server';

import { Launch } from './Launch';

const PATH = '/workspace/create-service';
const MODEL = '/api/mlpcore/account/9/model/counter';

const status = (state: string, start: StartData | null = null) =>
  answers(`${MODEL}/status`, { state, startTimeSeconds: null, waiting: null, start });
const start = (phase: StartData['phase']): StartData => ({ phase, since: new Date().toISOString(), usualSeconds: 40 });

beforeEach(() => signedIn({ accountId: 9 }));

test('a running service opens its playground', async () => {
  status('RUNNING');
  const { history } = show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  await waitFor(() => expect(history.location.pathname).toBe('/workspace/model/9/3'));
});

test('a service that starts says how long that usually takes', async () => {
  status('STARTING', start('PREPARING'));
  show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  expect(await screen.findByTestId('start')).toHaveTextContent(/so far · usually about 40 s/);
  expect(screen.getByText('Preparing the image')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Start' })).not.toBeInTheDocument();
});

test('a service that waits for room says so, and not that it starts', async () => {
  const waiting = {
    reason: 'NotEnoughRoom',
    message: null,
    details: { servers: 1, lacking: [{ what: 'cpu', servers: 1, missing: 500 }], limit: null },
  };
  answers(`${MODEL}/status`, { state: 'STARTING', startTimeSeconds: 40, waiting, start: start('WAITING_FOR_SERVER') });
  answers('/api/mlpcore/account/9/deployable-resource-groups', []);
  show(<Launch account="9" model={modelOf({ state: 'STARTING' })} />, { path: PATH });
  expect(await screen.findByText('Waiting for room')).toBeInTheDocument();
  expect(screen.queryByText(/usually/)).not.toBeInTheDocument();
  expect(screen.getByRole('alert', { name: 'An instance waits for a server' })).toHaveTextContent(
    'lack CPU cores (0.5 or more): 1',
  );
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
