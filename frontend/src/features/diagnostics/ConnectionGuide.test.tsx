import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { coreApi } from '@/api';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn } from '@/testing/server';

import { Diagnostics } from './Diagnostics';

const BASE = '/api/mlpcore/account/9/model/counter';
const WHERE = { account: '9', model: 'counter' };
const CONNECTION = {
  id: { accountId: 9, modelId: 3, instanceId: 1 },
  connected: false,
  dockerRunCommand: 'docker run',
  dockerComposeContent: '',
  envVariables: {},
  withheldVariables: [],
  hostname: null,
  version: null,
  imageName: null,
  httpHost: null,
  httpPort: null,
};
const statusOf = (state: string) => ({ state, instances: null, waiting: null, start: null, startTimeSeconds: null });
const instanceOf = (totalStatus: string) => ({
  id: 1,
  name: 'external-1',
  serverId: null,
  serverName: null,
  restartCount: 0,
  createdTimestamp: '2026-11-25T12:00:00Z',
  lastRestartTimestamp: null,
  instanceHostingType: 'external',
  purpose: 'serve',
  waiting: null,
  start: null,
  statusInfo: { totalStatus, isDeleted: false, isConnectedToAllGates: true, podStatus: null },
});

function open(status: string, instance: string, connected: boolean) {
  answers(`${BASE}/status`, statusOf(status));
  answers(`${BASE}/instance`, { instances: [instanceOf(instance)] } as never);
  answers(`${BASE}/external`, [{ ...CONNECTION, connected }]);
  return show(
    <Diagnostics account="9" model={modelOf({ hostingType: 'EXTERNAL', caching: { enabled: false } } as never)} />,
  );
}

beforeEach(() => {
  signedIn({ accountId: 9 });
  answers(`${BASE}/call-statistics`, {
    stepSec: 60,
    points: [],
    total: { timestamp: 0, calls: 0, failedCalls: 0, medianLatencyMs: null, p95LatencyMs: null, amount: 0 },
  });
});

test.each([
  ['RUNNING', 'Running', false],
  ['WAITING', 'Waiting', true],
] as const)(
  'an instance that is %s in the list is %s in the guide, whatever the older answer about connections says',
  async (listed, shown, connected) => {
    open(listed === 'RUNNING' ? 'RUNNING' : 'INACTIVE', listed, connected);
    expect(await screen.findByRole('button', { name: new RegExp(`Instance 1.*${shown}`) })).toBeInTheDocument();
  },
);

test('as soon as the service runs, its instances are asked for again', async () => {
  const { store } = open('STARTING', 'WAITING', false);
  await screen.findByRole('row', { name: /external-1.*Waiting/ });
  await waitFor(() =>
    expect(coreApi.endpoints.coreGetModelStatus.select(WHERE)(store.getState()).data?.state).toBe('STARTING'),
  );
  answers(`${BASE}/status`, statusOf('RUNNING'));
  let asked = 0;
  server.use(
    http.get(`*${BASE}/instance`, () => ((asked += 1), HttpResponse.json({ instances: [instanceOf('RUNNING')] }))),
  );
  await act(() =>
    store.dispatch(coreApi.endpoints.coreGetModelStatus.initiate(WHERE, { forceRefetch: true, subscribe: false })),
  );
  // Well before the next poll.
  await waitFor(() => expect(asked).toBeGreaterThan(0), { timeout: 1500 });
  expect(await screen.findByRole('row', { name: /external-1.*Running/ })).toBeInTheDocument();
});
