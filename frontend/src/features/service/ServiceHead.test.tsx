import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';

import type { StartData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, signedIn } from '@/testing/server';

import { ServiceHead } from './ServiceHead';

const STATUS = '/api/mlpcore/account/9/model/counter/status';
const NO_ROOM = { reason: 'NotEnoughRoom', message: null, details: null };
const start = (phase: StartData['phase']): StartData => ({ phase, since: new Date().toISOString(), usualSeconds: 40 });

const head = (status: object, owner = true, part: Parameters<typeof modelOf>[0] = { state: 'STARTING' }) => {
  answers(STATUS, { instances: null, lastJob: null, startTimeSeconds: 40, waiting: null, ...status });
  show(<ServiceHead model={modelOf({ measuredStartTimeSec: null, ...part })} account="9" owner={owner} />);
};

beforeEach(() => {
  signedIn({ accountId: 9 });
  answers('/api/mlpcore/system-config/task-types', []);
});

test('a service of which one instance starts and another one waits is starting, and says both', async () => {
  head({ state: 'STARTING', waiting: NO_ROOM, start: start('PREPARING') });
  expect(await screen.findByText('another instance waits for a server')).toBeVisible();
  expect(screen.getByTestId('state')).toHaveTextContent('Preparing the image');
  expect(screen.getByTestId('state')).not.toHaveTextContent('Waiting for room');
});

test('a service whose only instance waits says that it waits', async () => {
  head({ state: 'STARTING', waiting: NO_ROOM, start: start('WAITING_FOR_SERVER') });
  expect(await screen.findByText('Waiting for room')).toBeVisible();
  expect(screen.getByTestId('state')).not.toHaveTextContent(/another|usually/);
});

test('a service of which nothing is known to start does not say that it starts', async () => {
  head({ state: 'STARTING', start: null });
  expect(await screen.findByText('Waiting')).toBeVisible();
});

test('a running service with an instance that waits is running', async () => {
  head({ state: 'RUNNING', waiting: NO_ROOM, start: null }, true, { state: 'RUNNING' });
  expect(await screen.findByText('Running')).toBeVisible();
  expect(screen.getByTestId('state')).not.toHaveTextContent(/aiting|waits/);
});

test('callers see the phase, too, and changes of it are announced', () => {
  head({}, false, { state: 'STARTING', start: start('CONNECTING') });
  expect(screen.getByTestId('state')).toHaveTextContent(/^Starting and connecting.+ so far · usually about 40 s/);
  expect(screen.getByTestId('state')).toHaveAttribute('aria-live', 'polite');
});
