import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, signedIn } from '@/testing/server';

import { Diagnostics } from './Diagnostics';

const BASE = '/api/mlpcore/account/9/model/counter';
const NUMBERS = {
  internalRequested: 0,
  internalActive: 0,
  internalInError: 0,
  hostingServerRequested: 2,
  hostingServerActive: 1,
  externalRequested: 0,
};
const INSTANCE = {
  id: 1,
  name: 'mlp-9-3-1',
  serverId: 4,
  serverName: 'rack-1',
  restartCount: 2,
  createdTimestamp: '2026-11-25T12:00:00Z',
  lastRestartTimestamp: null,
  instanceHostingType: 'hostingServer',
  purpose: 'serve',
  waiting: null,
  statusInfo: { totalStatus: 'RUNNING', isDeleted: false, isConnectedToAllGates: true, podStatus: 'STARTED' },
};
const WAITS = {
  ...INSTANCE,
  id: 2,
  name: 'mlp-9-3-2',
  serverId: null,
  serverName: null,
  restartCount: 0,
  statusInfo: { ...INSTANCE.statusInfo, totalStatus: 'WAITING' },
  waiting: { reason: 'NotEnoughRoom', message: null, details: null },
};

function open(instances: object[] = [INSTANCE, WAITS]) {
  answers(`${BASE}/instance`, { instances } as never);
  show(<Diagnostics account="9" model={modelOf({ caching: { enabled: false } })} />);
}

beforeEach(() => {
  signedIn({ accountId: 9 });
  answers(`${BASE}/status`, { state: 'RUNNING', instances: NUMBERS, waiting: null });
  answers(`${BASE}/instances`, NUMBERS);
  answers(`${BASE}/call-statistics`, {
    stepSec: 60,
    points: [],
    total: { timestamp: 0, calls: 0, failedCalls: 0, medianLatencyMs: null, p95LatencyMs: null, amount: 0 },
  });
});

test('each instance has its state, and one that waits says what for', async () => {
  open();
  const running = await screen.findByRole('row', { name: /mlp-9-3-1/ });
  for (const text of ['Running', 'rack-1', '2']) expect(within(running).getByText(text)).toBeInTheDocument();
  expect(within(screen.getByRole('row', { name: /mlp-9-3-2/ })).getByText('Waiting for room')).toBeInTheDocument();
});

test('an instance that starts tells how far it is and since when', async () => {
  const start = { phase: 'CONNECTING', since: new Date(Date.now() - 75_000).toISOString(), usualSeconds: 40 };
  open([INSTANCE, { ...WAITS, serverName: 'rack-2', waiting: null, start }]);
  const row = within(await screen.findByRole('row', { name: /mlp-9-3-2/ }));
  expect(row.getByText('Starting and connecting')).toBeInTheDocument();
  expect(row.getByRole('timer')).toHaveTextContent(/^1 min .*so far$/);
});

test('an instance that answers no calls says what it is for', async () => {
  open([INSTANCE, { ...WAITS, purpose: 'fit' }, { ...WAITS, id: 3, name: 'mlp-9-3-3', purpose: 'develop' }]);
  expect(within(await screen.findByRole('row', { name: /mlp-9-3-2/ })).getByText('Training')).toBeInTheDocument();
  expect(within(screen.getByRole('row', { name: /mlp-9-3-3/ })).getByText('Development')).toBeInTheDocument();
  expect(
    within(screen.getByRole('row', { name: /mlp-9-3-1/ })).queryByText(/Training|Development/),
  ).not.toBeInTheDocument();
});

test('an instance opens beside the list', async () => {
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'mlp-9-3-1' }));
  expect(await screen.findByRole('dialog', { name: 'mlp-9-3-1' })).toBeInTheDocument();
});

const nothing = () => undefined;

afterEach(() => vi.restoreAllMocks());

test('on a phone each instance is a card with its actions at hand', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => ({
    media,
    matches: media.includes('max-width'),
    onchange: null,
    dispatchEvent: () => false,
    addEventListener: nothing,
    removeEventListener: nothing,
    addListener: nothing,
    removeListener: nothing,
  }));
  open();
  const list = await screen.findByRole('list', { name: 'Instances' });
  const card = within(within(list).getAllByRole('listitem')[0] as HTMLElement);
  for (const text of ['Running', 'rack-1', 'Restarts']) expect(card.getByText(text)).toBeInTheDocument();
  expect(card.getByRole('button', { name: 'Actions: mlp-9-3-1' })).toBeInTheDocument();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
});

test('without instances it says so', async () => {
  open([]);
  expect(await screen.findByText('No instances')).toBeInTheDocument();
});
