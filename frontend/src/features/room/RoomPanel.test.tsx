import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import type { PlacementPreviewData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { refusal, server, signedIn } from '@/testing/server';

import { RoomPanel } from './RoomPanel';

const FREE = { milliCpu: 3000, ramMb: 6144, diskMb: 20_480, gpu: 0, vramMb: 0 };
const DATA: PlacementPreviewData = {
  group: { ownerId: 9, name: 'mine' },
  servers: 4,
  fitting: 2,
  instances: 7,
  free: FREE,
  most: { ...FREE, milliCpu: 1500 },
  gpus: [],
  lacking: [{ what: 'memory', servers: 2, missing: 2048 }],
  eachServer: [],
  limit: null,
};

function room(part: Partial<PlacementPreviewData> | null, status = 200) {
  const asked: unknown[] = [];
  server.use(
    http.post(
      '*/api/mlpcore/account/9/placement/preview',
      async ({ request }) => (
        asked.push(await request.json()),
        HttpResponse.json(part ? { ...DATA, ...part } : refusal('mlp.not_found', status), { status })
      ),
    ),
  );
  return asked;
}

const shown = (limits: object | null = {}) =>
  show(<RoomPanel account="9" group="mine" limits={limits} startTimeoutSec={60} />);

beforeEach(() => signedIn({ accountId: 9 }));

test('it says on how many servers an instance fits, what is left, and what the others lack', async () => {
  const asked = room({});
  shown({ cpuRequest: '500m' });
  expect(await screen.findByText('Fits on 2 of 4 servers')).toBeInTheDocument();
  expect(screen.getByText('There is room for 7 such instances.')).toBeInTheDocument();
  expect(screen.getByText('1.5')).toBeInTheDocument();
  expect(screen.getByText('3 in all')).toBeInTheDocument();
  expect(await screen.findByText('lack memory (2 GiB or more): 2')).toBeInTheDocument();
  expect(asked[0]).toEqual({ resourceGroup: 'mine', resourceLimits: { cpuRequest: '500m' }, startTimeoutSec: 60 });
});

test('the servers of an own group are listed, those on which it fits first', async () => {
  room({
    eachServer: [
      { name: 'full', free: FREE, lack: { what: 'cpu', servers: 1, missing: 500 } },
      { name: 'empty', free: FREE, lack: null },
    ],
  });
  shown();
  const rows = within(await screen.findByRole('list', { name: 'Servers of the group' })).getAllByRole('listitem');
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^emptyFitsCPU 3/),
    expect.stringMatching(/^fullLacks 0.5 cores/),
  ]);
});

test.each([
  ['en', /^programsCannot run this image/, 'cannot run this image: 3'],
  ['ru', /^programsНе может запустить этот образ/, 'не могут запустить этот образ: 3'],
] as const)('the image is asked for, and servers that cannot run it say so, in %s', async (language, row, count) => {
  const lack = { what: 'image', servers: 3, missing: 0 } as const;
  const asked = room({
    eachServer: [
      { name: 'programs', free: FREE, lack },
      { name: 'containers', free: FREE, lack: null },
    ],
    lacking: [lack],
  });
  const question = {
    account: '9',
    group: 'mine',
    limits: {},
    startTimeoutSec: 60,
    image: 'acme/greeting:1',
    mountsDataImages: true,
  };
  const { unmount } = show(<RoomPanel {...question} />, { language });
  const rows = within(await screen.findByRole('list')).getAllByRole('listitem');
  expect(rows[1]?.textContent).toMatch(row);
  expect(asked[0]).toMatchObject({ image: 'acme/greeting:1', mountsDataImages: true });
  unmount();
  room({ lacking: [lack] });
  show(<RoomPanel {...question} account="9" startTimeoutSec={61} />, { language });
  expect(await screen.findByText(count)).toBeInTheDocument();
});

test('a limit of the account that stands against one more is named, whatever the servers have left', async () => {
  room({ limit: { name: 'cpuLimit', allowed: '4000m', used: '3800m', needed: '500m' } });
  shown();
  expect(await screen.findByText(/CPU: 4 cores\./)).toBeInTheDocument();
});

test('models of GPUs are listed with what is free of them', async () => {
  room({ gpus: [{ model: 'NVIDIA L4', vramMb: 24_576, count: 2, free: 1, freeVramMb: 24_576 }] });
  shown();
  expect(await screen.findByText(/NVIDIA L4, 24.GiB: 1 of 2 free/)).toBeInTheDocument();
});

test('without a default group it says what to do', async () => {
  room({ group: null, servers: 0, fitting: 0, instances: 0, lacking: [] });
  shown();
  expect(await screen.findByText(/There is no default group/)).toBeInTheDocument();
});

test('who may not see servers sees no panel, and nothing is asked while a quantity is incomplete', async () => {
  const asked = room(null, 403);
  const { container, rerender } = shown();
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(container.querySelector('section')).toBeNull());
  rerender(<p>another page</p>);
  shown(null);
  expect(asked).toHaveLength(1);
});
