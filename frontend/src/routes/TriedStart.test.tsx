import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';
import { MODEL, service } from '@/testing/tried';

import { isStartable, Tried } from './Tried';

beforeEach(() => answers('/api/mlpcore/system-config/task-types', []));

test.each([
  ['its owner', 9],
  ['a caller of another account', 1_000_000_001],
])(
  'a service without an instance says how long its first call waits, and %s may start it before',
  async (_, accountId) => {
    signedIn({ accountId });
    service();
    const started: unknown[] = [];
    server.use(
      http.post(`*${MODEL}/instances/:call`, ({ params }) => (started.push(params.call), new HttpResponse(null))),
    );
    show(<Tried model={modelOf({ state: 'INACTIVE', startTimeSec: 40 })} account="acme" />);
    expect(await screen.findByRole('button', { name: 'Wake and run' })).toBeEnabled();
    expect(screen.getByText(/about 40/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Start an instance' }));
    await waitFor(() => expect(started).toHaveLength(1));
  },
);

test('a caller learns that no instance was started', async () => {
  signedIn();
  service();
  server.use(
    http.post(`*${MODEL}/instances/single`, () =>
      HttpResponse.json(refusal('mlp.gate.access_denied', 403), { status: 403 }),
    ),
  );
  show(<Tried model={modelOf({ state: 'SLEEPING', startTimeSec: 40 })} account="acme" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Start an instance' }));
  expect(await screen.findByText('No instance was started')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Start an instance' })).toBeEnabled());
});

test('nobody is offered a start of a service that runs', async () => {
  signedIn();
  service();
  show(<Tried model={modelOf()} account="acme" />);
  expect(await screen.findByRole('button', { name: 'Run' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Start an instance' })).not.toBeInTheDocument();
});

test('only what the platform can start is offered for a start', () => {
  expect([isStartable(modelOf({ state: 'INACTIVE' })), isStartable(modelOf({ state: 'SLEEPING' }))]).toEqual([
    true,
    true,
  ]);
  expect([
    isStartable(modelOf()),
    isStartable(modelOf({ state: 'INACTIVE', hostingType: 'EXTERNAL' })),
    isStartable(modelOf({ state: 'INACTIVE', prototype: true })),
  ]).toEqual([false, false, false]);
});
