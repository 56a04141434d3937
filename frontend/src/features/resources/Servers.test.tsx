import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { ServerUseData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { ANN, answers, signedIn } from '@/testing/server';

import { GroupServices } from './GroupServices';
import { Servers } from './Servers';

const OWN = ANN.accountId ?? 0;
const WHERE = { account: String(OWN), groupName: 'mine' };
const PATH = `/api/mlpcore/account/${ANN.accountId}/resource-groups/mine`;
const RESOURCES = { cpu: '4000m', memory: '8192Mi', disk: '20480Mi', gpuModels: ['A100', 'A100'] };
const ROW = { description: null, serverIp: null, expiresAt: null, resources: RESOURCES };
const NOTHING = { milliCpu: 0, ramMb: 0, diskMb: 0, gpu: 0, vramMb: 0 };
const USE: ServerUseData = {
  serverId: 1,
  name: 's1',
  status: 'RUNNING',
  instances: 3,
  maxInstances: 8,
  gpus: [],
  runsContainers: true,
  programs: [],
  capacity: { milliCpu: 4000, ramMb: 8192, diskMb: 20_480, gpu: 2, vramMb: 163_840 },
  allocated: { milliCpu: 1500, ramMb: 2048, diskMb: 1024, gpu: 1, vramMb: 81_920 },
  used: { milliCpu: 500, ramMb: 6144, diskMb: null, gpu: 0.7, vramMb: null },
  free: { milliCpu: 2500, ramMb: 6144, diskMb: 19_456, gpu: 1, vramMb: 81_920 },
};
const UNKNOWN = { milliCpu: null, ramMb: null, diskMb: null, gpu: null, vramMb: null };

const of = (accountId: number, modelId: number, name: string, state: string) => ({
  id: { accountId, modelId },
  name,
  state,
  waitsForServer: false,
  active: 1,
  requested: 2,
});

test('a server shows what it has, what instances hold of it, and what is in use', async () => {
  signedIn();
  answers(`${PATH}/server/status`, [{ ...ROW, id: 1, name: 's1', status: 'RUNNING' }]);
  answers(`${PATH}/capacity`, {
    ...USE.capacity,
    gpuModels: [],
    vRamMb: 0,
    nodes: ['s1'],
    allocated: USE.allocated,
    used: USE.used,
    free: USE.free,
    servers: [USE],
  });
  show(<Servers {...WHERE} />);
  const card = within(await screen.findByRole('article', { name: 's1' }));
  expect(await card.findByRole('meter', { name: 'CPU, cores' })).toHaveAttribute(
    'aria-valuetext',
    'Used 0.5, Reserved 1.5, Free 2.5',
  );
  expect(card.getByRole('meter', { name: 'Memory' })).toHaveAttribute(
    'aria-valuetext',
    'Used 6\u00a0GiB, Reserved 2\u00a0GiB, Free 6\u00a0GiB',
  );
  expect(card.getByRole('meter', { name: 'GPUs' })).toHaveAttribute('aria-valuetext', 'Used 0.7, Reserved 1, Free 1');
  expect(card.getByRole('meter', { name: 'Disk' })).toHaveAttribute(
    'aria-valuetext',
    'Reserved 1\u00a0GiB, Free 19\u00a0GiB',
  );
  expect(card.getByText('3 of 8')).toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'The whole group' })).not.toBeInTheDocument();
});

test('each GPU of a server shows its memory, and how busy it is if the server knows', async () => {
  signedIn();
  const gpu = { model: 'NVIDIA L4', vramMb: 24_576 };
  const gpus = [
    { ...gpu, gpuId: 'a', allocatedVramMb: 8192, freeVramMb: 16_384, usedVramMb: 4096, usagePercent: 73 },
    { ...gpu, gpuId: 'b', allocatedVramMb: 4096, freeVramMb: 20_480, usedVramMb: null, usagePercent: null },
  ];
  answers(`${PATH}/server/status`, [{ ...ROW, id: 1, name: 's1', status: 'RUNNING' }]);
  answers(`${PATH}/capacity`, {
    ...USE.capacity,
    gpuModels: [],
    vRamMb: 0,
    nodes: ['s1'],
    allocated: USE.allocated,
    used: USE.used,
    free: USE.free,
    servers: [{ ...USE, gpus }],
  });
  show(<Servers {...WHERE} />);
  const card = within(await screen.findByRole('article', { name: 's1' }));
  expect(await card.findByRole('meter', { name: 'GPU 1, NVIDIA L4: 73 % busy' })).toHaveAttribute(
    'aria-valuetext',
    'Used 4\u00a0GiB, Reserved 8\u00a0GiB, Free 16\u00a0GiB',
  );
  expect(card.getByRole('meter', { name: 'GPU 2, NVIDIA L4' })).toHaveAttribute(
    'aria-valuetext',
    'Reserved 4\u00a0GiB, Free 20\u00a0GiB',
  );
});

test.each([
  ['en', { runsContainers: true, programs: ['a/one:1'] }, 'any, in containers'],
  ['en', { runsContainers: false, programs: ['a/one:1', 'a/two:1'] }, 'a/one:1, a/two:1'],
  ['ru', { runsContainers: false, programs: ['1', '2', '3', '4', '5'] }, '1, 2, 3 и ещё 2'],
  ['en', { runsContainers: false, programs: [] }, 'none'],
] as const)('a server names the images that it can run, in %s: %o', async (language, images, text) => {
  signedIn();
  answers(`${PATH}/server/status`, [{ ...ROW, id: 1, name: 's1', status: 'RUNNING' }]);
  answers(`${PATH}/capacity`, {
    ...USE.capacity,
    gpuModels: [],
    vRamMb: 0,
    nodes: ['s1'],
    allocated: USE.allocated,
    used: USE.used,
    free: USE.free,
    servers: [{ ...USE, ...images }],
  });
  show(<Servers {...WHERE} />, { language });
  const card = within(await screen.findByRole('article', { name: 's1' }));
  expect(await card.findByText(text)).toBeInTheDocument();
});

test('bars have a legend', async () => {
  signedIn();
  answers(`${PATH}/server/status`, [{ ...ROW, id: 1, name: 's1', status: 'RUNNING' }]);
  answers(`${PATH}/capacity`, {
    ...USE.capacity,
    gpuModels: [],
    vRamMb: 0,
    nodes: ['s1'],
    allocated: USE.allocated,
    used: USE.used,
    free: USE.free,
    servers: [USE],
  });
  show(<Servers {...WHERE} />);
  const legend = await screen.findByRole('list', { name: 'Parts of the bars' });
  expect(
    within(legend)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Used', 'Reserved', 'Free']);
});

test.each([
  ['en', 'The agent has not connected yet', /agent\.json/, 'Does not respond'],
  ['ru', 'Агент ещё не подключился', /agent\.json/, 'Не отвечает'],
] as const)('a server without an agent says how to connect it, in %s', async (language, awaited, hint, silent) => {
  signedIn();
  answers(`${PATH}/server/status`, [
    { ...ROW, id: 1, name: 's1', status: 'STARTING' },
    { ...ROW, id: 2, name: 's2', status: 'UNAVAILABLE' },
  ]);
  answers(`${PATH}/capacity`, {
    ...NOTHING,
    gpuModels: [],
    vRamMb: 0,
    nodes: [],
    allocated: NOTHING,
    used: UNKNOWN,
    free: NOTHING,
    servers: [{ ...USE, status: 'STARTING' }],
  });
  show(<Servers {...WHERE} />, { language });
  const card = within(await screen.findByRole('article', { name: 's1' }));
  expect(card.getByText(awaited)).toBeInTheDocument();
  expect(card.getAllByText(hint)).toHaveLength(2);
  expect(within(screen.getByRole('article', { name: 's2' })).getByText(silent)).toBeInTheDocument();
  expect(screen.queryByRole('list', { name: /bars|полос/ })).not.toBeInTheDocument();
});

test('a group of several servers shows their sum', async () => {
  signedIn();
  answers(`${PATH}/server/status`, [
    { ...ROW, id: 1, name: 's1', status: 'RUNNING' },
    { ...ROW, id: 2, name: 's2', status: 'RUNNING' },
  ]);
  const both = { milliCpu: 8000, ramMb: 16_384, diskMb: 40_960, gpu: 0, vramMb: 0 };
  answers(`${PATH}/capacity`, {
    ...both,
    gpuModels: [],
    vRamMb: 0,
    nodes: ['s1', 's2'],
    allocated: USE.allocated,
    used: { ...UNKNOWN, milliCpu: 1000 },
    free: { ...both, milliCpu: 6500, ramMb: 14_336 },
    servers: [USE, { ...USE, serverId: 2, name: 's2' }],
  });
  show(<Servers {...WHERE} />);
  const whole = within(await screen.findByRole('region', { name: 'The whole group' }));
  expect(whole.getByRole('meter', { name: 'CPU, cores' })).toHaveAttribute(
    'aria-valuetext',
    'Used 1, Reserved 1.5, Free 6.5',
  );
  expect(whole.getByRole('meter', { name: 'Memory' })).toHaveAttribute(
    'aria-valuetext',
    'Reserved 2\u00a0GiB, Free 14\u00a0GiB',
  );
});

test('a silent server shows what is reserved, and no use that it reported earlier', async () => {
  signedIn();
  answers(`${PATH}/server/status`, [{ ...ROW, id: 1, name: 's1', status: 'UNAVAILABLE' }]);
  answers(`${PATH}/capacity`, {
    ...NOTHING,
    gpuModels: [],
    vRamMb: 0,
    nodes: [],
    allocated: NOTHING,
    used: UNKNOWN,
    free: NOTHING,
    servers: [{ ...USE, status: 'UNAVAILABLE', used: UNKNOWN }],
  });
  show(<Servers {...WHERE} />);
  const card = within(await screen.findByRole('article', { name: 's1' }));
  expect(await card.findByRole('meter', { name: 'Memory' })).toHaveAttribute(
    'aria-valuetext',
    'Reserved 2\u00a0GiB, Free 6\u00a0GiB',
  );
});

test('the services of the group can be filtered by state, and only own ones are opened', async () => {
  signedIn();
  answers(`${PATH}/all-services`, {
    services: [of(OWN, 5, 'greeting', 'RUNNING'), of(2, 6, 'stranger', 'STARTING'), of(OWN, 7, 'idle', 'INACTIVE')],
  });
  show(<GroupServices {...WHERE} />, { path: '/?state=RUNNING' });
  expect(await screen.findByRole('link', { name: 'greeting' })).toHaveAttribute(
    'href',
    `/workspace/model/${ANN.accountId}/5`,
  );
  expect(screen.queryByText('idle')).not.toBeInTheDocument();
});
