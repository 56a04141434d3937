import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';
import { expect, test, vi } from 'vitest';

import type { InstanceStateWaiting } from '@/api/generated/core.gen';
import { useSession } from '@/lib/session';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { ANN, answers, server, signedIn } from '@/testing/server';

import { OwnServicePage } from './OwnServicePage';

const OWNER = ANN.accountId ?? 0;
const MODEL = modelOf({ id: { accountId: OWNER, modelId: 3 }, state: 'STARTING', resourceGroup: null });
const ROUTE = '/workspace/model/:account/:service/:tab?';
const WAITING: InstanceStateWaiting = {
  reason: 'NoServerAvailable',
  message: null,
  details: { servers: 4, lacking: [{ what: 'memory', servers: 4, missing: 2048 }], limit: null },
};

function Known({ page }: { page: ReactElement }) {
  return useSession().state === 'signed-in' ? page : null;
}

function open(tab: string, waiting: InstanceStateWaiting | null, model = MODEL, isArchiveEnabled = false) {
  signedIn({}, { isArchiveEnabled });
  answers(`/api/mlpcore/account/${OWNER}/model/3`, model);
  answers(`/api/mlpcore/account/${OWNER}/model/counter`, model);
  for (const name of ['counter', '3'])
    answers(`/api/mlpcore/account/${OWNER}/model/${name}/status`, { state: 'STARTING', startTimeSeconds: 10, waiting });
  answers(`/api/mlpcore/account/${OWNER}/deployable-resource-groups`, [
    { name: 'cloud', ownerId: 1, isDefault: true },
    { name: 'mine', ownerId: OWNER, isDefault: true },
  ]);
  show(<Known page={<OwnServicePage />} />, { path: `/workspace/model/${OWNER}/3${tab}`, route: ROUTE });
}

test.each(['', '/events', '/diagnostic'])(
  'each tab says once why an instance waits for a server: "%s"',
  async (tab) => {
    open(tab, WAITING);
    expect(await screen.findAllByText('An instance waits for a server')).toHaveLength(1);
    expect(within(screen.getByTestId('state')).getByText('Waiting for room')).toBeInTheDocument();
    expect(screen.getByTestId('state')).not.toHaveTextContent('10 s');
    expect(await screen.findByRole('link', { name: 'Servers of the group mine' })).toHaveAttribute(
      'href',
      `/workspace/resource-group/${OWNER}/mine`,
    );
    expect(screen.getByRole('link', { name: 'Hosting settings' })).toHaveAttribute(
      'href',
      `/workspace/model/${OWNER}/3/settings/hosting`,
    );
  },
);

test('the page appears with the reason, not before it', async () => {
  const gate: { open?: () => void } = {};
  const asked = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  open('/events', WAITING);
  server.use(
    http.get(
      `*/api/mlpcore/account/${OWNER}/model/3/status`,
      async () => (await asked, HttpResponse.json({ state: 'STARTING', startTimeSeconds: 10, waiting: WAITING })),
    ),
  );
  await vi.waitFor(() => expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('3'));
  expect(screen.queryByRole('tablist')).not.toBeInTheDocument();
  gate.open?.();
  expect(await screen.findByRole('tablist')).toBeInTheDocument();
  expect(screen.getByText('An instance waits for a server')).toBeInTheDocument();
});

test('a group of another account is not linked: only its owner adds servers', async () => {
  open('/events', WAITING, { ...MODEL, resourceGroup: 'cloud' });
  expect(await screen.findByRole('link', { name: 'Hosting settings' })).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: /Servers of the group/ })).not.toBeInTheDocument();
});

test('one that a limit of the account stops leads to the limits', async () => {
  const limit = { name: 'cpuLimit', allowed: '4000m', used: '4000m', needed: '500m' } as const;
  open('/events', { reason: 'AccountLimit', message: null, details: { servers: null, lacking: [], limit } });
  expect(await screen.findByRole('link', { name: 'Limits of the account' })).toHaveAttribute(
    'href',
    '/workspace/account-info/limits',
  );
  expect(screen.queryByRole('link', { name: /Servers of the group/ })).not.toBeInTheDocument();
});

test('a service that only starts does not wait', async () => {
  open('/events', null);
  expect(await screen.findByRole('tab', { name: /event/i, selected: true })).toBeInTheDocument();
  expect(screen.queryByText('An instance waits for a server')).not.toBeInTheDocument();
});

const EMPTY = { records: [], paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 20 } };

test('the archive has a tab of its own, apart from the diagnostics', async () => {
  answers(`/api/mlpgateway/account/${OWNER}/model/counter/archive`, EMPTY);
  open('/archive', null, { ...MODEL, archiveSettings: { ...MODEL.archiveSettings, enabled: true } }, true);
  expect(await screen.findByRole('heading', { name: 'Archive of requests' })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'Archive', selected: true })).toHaveAttribute(
    'href',
    `/workspace/model/${OWNER}/3/archive`,
  );
  expect(screen.queryByRole('heading', { name: 'Instances' })).not.toBeInTheDocument();
});

test('the diagnostics show no archive', async () => {
  open('/diagnostic', null, { ...MODEL, caching: { ...MODEL.caching, enabled: false } }, true);
  expect(await screen.findByRole('heading', { name: 'Instances' })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'Archive' })).toBeInTheDocument();
  expect(screen.queryByRole('heading', { name: 'Archive of requests' })).not.toBeInTheDocument();
});

test('an installation without an archive has no tab for it, also at its address', async () => {
  open('/archive', null, MODEL);
  expect(await screen.findByRole('tab', { name: 'Testing', selected: true })).toBeInTheDocument();
  expect(screen.queryByRole('tab', { name: 'Archive' })).not.toBeInTheDocument();
});
