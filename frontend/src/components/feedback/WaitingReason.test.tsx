import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { InstanceStateWaiting, LackData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';

import { WaitingReason } from './WaitingReason';

const ROOM: InstanceStateWaiting = {
  reason: 'NotEnoughRoom',
  message: '4 servers: 3 lack 2 GiB of memory, 1 without enough GPUs',
  details: {
    servers: 4,
    lacking: [
      { what: 'memory', servers: 3, missing: 2048 },
      { what: 'gpu', servers: 1, missing: 1 },
    ],
    limit: null,
  },
};

const lackOf = (...lacks: LackData['what'][]): InstanceStateWaiting => ({
  reason: 'NotEnoughRoom',
  message: null,
  details: { servers: lacks.length, lacking: lacks.map((what) => ({ what, servers: 1, missing: 1 })), limit: null },
});

test('says what the servers of the group lack, and how much', async () => {
  show(<WaitingReason waiting={ROOM} />);
  expect(await screen.findByText('Servers in the group: 4. Of these:')).toBeInTheDocument();
  const items = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(items).toEqual(['lack memory (2\u00a0GiB or more): 3', 'have too few GPUs: 1']);
});

test('says it in the language of the page', async () => {
  show(<WaitingReason waiting={ROOM} />, { language: 'ru' });
  expect(await screen.findByText(/не хватает памяти \(2.ГиБ или больше\): 3/)).toBeInTheDocument();
});

test.each([
  [
    'en',
    /^The servers of the group do not have enough room\./,
    /No server of the group responds\..*agents/,
    /No server of the group suits the service\./,
  ],
  [
    'ru',
    /^На серверах группы не хватает места\./,
    /Ни один сервер группы не отвечает\..*агенты/,
    /Ни один сервер группы не подходит сервису\./,
  ],
] as const)('says in %s what is the matter with the group as a whole', async (language, room, silent, unsuitable) => {
  const { rerender } = show(<WaitingReason waiting={lackOf('memory', 'heartbeat')} />, { language });
  expect(await screen.findByText(room)).toBeInTheDocument();
  rerender(<></>);
  show(<WaitingReason waiting={lackOf('heartbeat')} />, { language });
  expect(await screen.findByText(silent)).toBeInTheDocument();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
  show(<WaitingReason waiting={lackOf('labels', 'image')} />, { language });
  expect(await screen.findByText(unsuitable)).toBeInTheDocument();
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
});

test('says which limit of the account is reached', async () => {
  const limit = { name: 'cpuLimit', allowed: '4000m', used: '800m', needed: '9000m' } as const;
  show(
    <WaitingReason
      waiting={{ reason: 'AccountLimit', message: null, details: { servers: null, lacking: [], limit } }}
    />,
  );
  expect(await screen.findByText('A limit of the account is reached.')).toBeInTheDocument();
  expect(
    await screen.findByText(/CPU: 4 cores\. In use: 0\.8 cores\. Needed in addition: 9 cores\./),
  ).toBeInTheDocument();
});

test('without numbers, the reason alone', async () => {
  show(<WaitingReason waiting={{ reason: 'NoServerAvailable', message: null, details: null }} />);
  expect(await screen.findByText(/The group has no servers/)).toBeInTheDocument();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
});
