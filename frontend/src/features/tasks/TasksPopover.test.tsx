import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ShortJobView } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers, server } from '@/testing/server';

import { TasksPopover } from './TasksPopover';

const task = (jobId: string, given: Partial<ShortJobView> = {}): ShortJobView => ({
  jobId,
  title: 'Start',
  children: [],
  percentage: 40,
  viewStatus: 'RUN',
  currentStep: 'waiting',
  operation: 'RUN',
  operatedEntity: {
    name: 'model',
    key: { accountId: 1, modelId: 5, instanceId: null, groupOwnerId: null, groupName: null, serverId: null },
  },
  operatedEntityName: 'greeting',
  persistentJobStatus: 'RUN',
  runAt: '2026-11-21T12:00:00Z',
  endTime: null,
  step: 'waiting',
  stepKey: null,
  errorCode: null,
  errorArgs: {},
  errorMessage: null,
  interrupted: false,
  isInterruptible: true,
  waitFor: [],
  unreadStatus: false,
  ...given,
});
const finished: Partial<ShortJobView> = {
  viewStatus: 'COMPLETED',
  persistentJobStatus: 'COMPLETED',
  endTime: '2026-11-21T13:02:03Z',
  isInterruptible: false,
};

async function open(...tasks: ShortJobView[]) {
  answers('/api/mlpcore/task/short', tasks);
  server.use(http.post('*/api/mlpcore/task/read', () => new HttpResponse(null)));
  show(<TasksPopover />);
  await userEvent.click(await screen.findByRole('button', { name: /^Background tasks/ }));
  await screen.findByRole('tab', { name: 'All' });
}

test('a task says what is done to what, how far it is, and how long it took', async () => {
  await open(task('1'), task('2', { ...finished, operatedEntityName: 'ner' }));
  const [running, done] = await screen.findAllByTestId('task');
  if (!running || !done) throw new Error('two tasks are there');
  expect(await within(running).findByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
  expect(await within(running).findByRole('link', { name: 'greeting' })).toHaveAttribute(
    'href',
    '/workspace/model/1/5',
  );
  expect(within(done).getByText('1 h 2 min').title.replaceAll('\u00a0', ' ')).toBe('1 h 2 min 3 s');
  expect(within(done).queryByRole('progressbar')).not.toBeInTheDocument();
});

test('the step and the error are in the words of the interface; what the platform recorded is behind details', async () => {
  const failed: Partial<ShortJobView> = {
    ...finished,
    viewStatus: 'FAILED',
    errorCode: 'mlp.core.instance_failed',
    errorArgs: { instance: '7', reason: 'exit code 3' },
    errorMessage: 'instance 7: exit code 3',
  };
  await open(
    task('1', { stepKey: 'await-servers' }),
    task('2', failed),
    task('3', { ...finished, viewStatus: 'FAILED', errorCode: 'mlp.core.of_tomorrow', errorMessage: 'not known yet' }),
  );
  expect(await screen.findByText('Waiting for room on servers')).toBeInTheDocument();
  expect(await screen.findByText('Instance 7 did not start')).toBeInTheDocument();
  expect(screen.getByText('exit code 3. Its log says more.')).toBeInTheDocument();
  expect(screen.getByText('instance 7: exit code 3')).not.toBeVisible();
  expect(screen.getByText('not known yet')).toBeInTheDocument();
});

test('tabs tell what runs from what is over', async () => {
  await open(
    task('1'),
    task('2', { ...finished, operatedEntityName: 'ner' }),
    task('3', { viewStatus: 'REPLACED', operatedEntityName: 'old' }),
  );
  expect(await screen.findAllByTestId('task')).toHaveLength(2);
  await userEvent.click(await screen.findByRole('tab', { name: 'In progress' }));
  expect(await screen.findByText('greeting')).toBeInTheDocument();
  expect(screen.queryByText('ner')).not.toBeInTheDocument();
  await userEvent.click(await screen.findByRole('tab', { name: 'Completed' }));
  expect(await screen.findByText('ner')).toBeInTheDocument();
});

test('a task that may be stopped is stopped; one that is being cancelled says so', async () => {
  let stopped: unknown;
  server.use(
    http.post('*/api/mlpcore/task/:id/stop', ({ params }) => {
      stopped = params.id;
      return HttpResponse.json(true);
    }),
  );
  await open(
    task('7'),
    task('8', { viewStatus: 'REVERTING', operatedEntityName: 'ner' }),
    task('9', { isInterruptible: false, operatedEntityName: 'tts' }),
  );
  expect(await screen.findByText('Canceling')).toBeInTheDocument();
  expect(await screen.findAllByRole('button', { name: /^Stop: / })).toHaveLength(1);
  await userEvent.click(await screen.findByRole('button', { name: 'Stop: greeting' }));
  await waitFor(() => expect(stopped).toBe('7'));
});

test('three levels are shown and no more', async () => {
  const deep = task('3', { operatedEntityName: 'third', children: [task('4', { operatedEntityName: 'fourth' })] });
  await open(
    task('1', {
      operatedEntityName: 'first',
      children: [task('2', { operatedEntityName: 'second', children: [deep] })],
    }),
  );
  const [first] = await screen.findAllByText('1 part');
  if (first) await userEvent.click(first);
  const [, second] = await screen.findAllByText('1 part');
  if (second) await userEvent.click(second);
  expect(await screen.findByText('third')).toBeInTheDocument();
  // The third could be expanded too if there were a fourth level.
  expect(screen.getAllByText('1 part')).toHaveLength(2);
});

test('what is seen is marked as read, by all its numbers', async () => {
  let read: string[] = [];
  answers('/api/mlpcore/task/short', [
    task('1', { viewStatus: 'FAILED', errorMessage: 'no place', unreadStatus: true }),
    task('2', { unreadStatus: true }),
  ]);
  server.use(
    http.post('*/api/mlpcore/task/read', ({ request }) => {
      read = new URL(request.url).searchParams.getAll('jobId');
      return new HttpResponse(null);
    }),
  );
  show(<TasksPopover />);
  await userEvent.click(await screen.findByRole('button', { name: 'Background tasks: something failed' }));
  expect(await screen.findByText('no place')).toBeInTheDocument();
  await waitFor(() => expect(read).toEqual(['1', '2']));
});
