import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn } from '@/testing/server';

import { Monitoring } from './Monitoring';

const MODEL = '/api/mlpcore/account/9/model/counter';
const UP = {
  id: 2,
  decidedAt: Date.now() - 60_000,
  kind: 'SCALE_UP',
  reason: 'activeRequests',
  before: 1,
  after: 3,
  connected: 1,
  minInstances: 1,
  maxInstances: 5,
  scheduled: false,
  values: { activeRequests: 8, requestsPerMinute: 600 },
  waiting: 0,
  unusedSeconds: 0,
  wanted: null,
  detail: null,
  causeAccountId: null,
};
const HELD = {
  ...UP,
  id: 3,
  kind: 'NEED_SCALE_UP',
  reason: 'place',
  before: 3,
  after: 3,
  wanted: 4,
  detail: 'NotEnoughRoom',
};
const STATE = {
  automatic: true,
  enabled: true,
  requested: 3,
  connected: 2,
  starting: 1,
  minInstances: 1,
  maxInstances: 5,
  scheduled: false,
  windowSeconds: 60,
  known: true,
  values: {},
  waiting: 0,
  unusedSeconds: 0,
  cooldownUntil: null,
  wanted: 3,
  reason: 'cooldown',
  trouble: null,
};

function monitoring({
  decisions = [HELD, UP],
  hosting = 'AUTOMATIC',
  measured = {},
  language = 'en' as const,
}: { decisions?: object[]; hosting?: string; measured?: object; language?: 'en' | 'ru' } = {}) {
  signedIn({ accountId: 9 });
  const asked: URLSearchParams[] = [];
  answers(`${MODEL}/autoscaling`, STATE);
  answers(`${MODEL}/autoscaling/decisions`, decisions);
  answers(`${MODEL}/metric/start-time`, 1_700_000_000_000);
  answers(`${MODEL}/instance`, { instances: [{ id: 5, name: 'counter-5' }] });
  answers(`${MODEL}/instance/5/metric/start-time`, 1_700_000_000_000);
  answers(`${MODEL}/instance/5/events`, { events: [] });
  server.use(
    http.get(
      `*${MODEL}/instance/5/metric-range`,
      ({ request }) => (asked.push(new URL(request.url).searchParams), HttpResponse.json({})),
    ),
  );
  server.use(
    http.get(
      `*${MODEL}/metric-range`,
      ({ request }) => (asked.push(new URL(request.url).searchParams), HttpResponse.json(measured)),
    ),
  );
  const model = {
    ...modelOf({}),
    hostingType: hosting,
    autoScalingConfiguration: { enabled: true, scaleUpActiveRequestsThreshold: 3 },
  } as unknown as ModelInfoData;
  show(<Monitoring account="9" model={model} />, { language });
  return asked;
}

test('decisions are listed with the numbers they were made from, and why a number is not reached', async () => {
  monitoring();
  await screen.findByText('More instances');
  const table = screen.getByRole('table', { name: 'Decisions of autoscaling' });
  const [, held, up] = within(table).getAllByRole('row');
  expect(up).toHaveTextContent('More instances');
  expect(up).toHaveTextContent('1 → 3');
  expect(up).toHaveTextContent('Requests in progress: 8; Requests per minute: 600');
  expect(held).toHaveTextContent('Instances wait for a server');
  expect(held).toHaveTextContent('needed: 4; allowed: 1 to 5');
  expect(await screen.findByRole('status')).toHaveTextContent(
    '2 of 3 connected, 1 to 5 allowed. The pause between two changes runs',
  );
});

test('another period is asked for, and is in the address', async () => {
  const asked = monitoring();
  await screen.findByRole('table', { name: 'Decisions of autoscaling' });
  await userEvent.click(screen.getByRole('combobox', { name: 'Period' }));
  await userEvent.click(await screen.findByRole('option', { name: '1 day', hidden: true }));
  await expect.poll(() => asked.at(-1)?.get('minutes')).toBe('1440');
  expect(asked[0]?.get('minutes')).toBe('60');
});

test('without data the charts say since when there are any', async () => {
  monitoring();
  expect((await screen.findAllByText(/There are data since/)).length).toBeGreaterThan(3);
});

test('before the first decision the list says what will be there', async () => {
  monitoring({ decisions: [], language: 'ru' });
  expect(await screen.findByText('Решений пока нет')).toBeInTheDocument();
});

test('a service with a fixed number has charts and no decisions', async () => {
  monitoring({ hosting: 'INTERNAL', measured: { MODEL_INSTANCES_COUNT: [{ ts: Date.now() - 60_000, v: 1 }] } });
  expect(await screen.findByText('Instances')).toBeInTheDocument();
  expect(screen.queryByText('Decisions of autoscaling')).not.toBeInTheDocument();
});

test('one instance is chosen: its charts and its events take the place of those of the service', async () => {
  const asked = monitoring();
  await screen.findByRole('table', { name: 'Decisions of autoscaling' });
  await userEvent.click(screen.getByRole('combobox', { name: 'Instance' }));
  await userEvent.click(await screen.findByRole('option', { name: 'counter-5', hidden: true }));
  expect(await screen.findByRole('heading', { name: 'Event history' })).toBeInTheDocument();
  expect(screen.queryByRole('table', { name: 'Decisions of autoscaling' })).not.toBeInTheDocument();
  await expect.poll(() => asked.at(-1)?.getAll('metrics')).toContain('INSTANCE_CPU_USAGE');
  expect(await screen.findAllByText(/There are data since/)).not.toHaveLength(0);
});
