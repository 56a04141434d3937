import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';

import { canvas } from '@/testing/canvas';
import { show } from '@/testing/render';
import { answers, refusal, signedIn } from '@/testing/server';

import { Strip } from './Strip';

const NOW = Date.UTC(2026, 10, 24, 12);
const point = (minutes: number, part: object = {}) => ({
  timestamp: NOW - minutes * 60_000,
  calls: 0,
  failedCalls: 0,
  medianLatencyMs: null,
  p95LatencyMs: null,
  amount: 0,
  ...part,
});
const SERIES = {
  stepSec: 60,
  points: [
    point(2),
    point(1, { calls: 42, failedCalls: 2, medianLatencyMs: 120, p95LatencyMs: 900, amount: 10 }),
    point(0, { calls: 1 }),
  ],
  total: point(2, { calls: 1043, failedCalls: 3, medianLatencyMs: 110, p95LatencyMs: 850, amount: 12.5 }),
};
const BASE = '/api/mlpcore/account/9/model/counter';
const strip = (lastCall: number | null = null) =>
  show(<Strip where={{ account: '9', model: 'counter' }} external={false} lastCall={lastCall} />);
const figure = async (name: string) => (await screen.findByText(name)).parentElement as HTMLElement;

beforeEach(() => {
  canvas();
  signedIn();
  answers(`${BASE}/status`, {
    state: 'RUNNING',
    instances: {
      hostingServerActive: 1,
      hostingServerRequested: 2,
      internalActive: 0,
      internalRequested: 0,
      internalInError: 0,
      externalRequested: 0,
    },
  });
  answers(`${BASE}/call-statistics`, SERIES);
});

test('the strip shows the last whole minute, and the rest of the hour as sums', async () => {
  strip();
  expect(await screen.findByText('42')).toBeVisible();
  expect(await figure('Calls per minute')).toHaveTextContent(/1.043 in all/);
  expect(await figure('p95 latency')).toHaveTextContent(/850\sms.*median 110\sms/);
  expect(await figure('Errors')).toHaveTextContent(/^Errors30.3% of calls/);
  expect(await figure('Charged for calls')).toHaveTextContent(/12\.50\s₽/);
  expect(await figure('Running / wanted')).toHaveTextContent('1 / 2');
  expect(screen.getByRole('img', { name: 'Calls over time, at most 42' })).toBeVisible();
});

test('the strip says when the service was called last, or that it was not yet', async () => {
  const { unmount } = strip(Date.now() - 180_000);
  expect(await figure('Last call')).toHaveTextContent('3 minutes ago');
  unmount();
  strip(null);
  expect(await figure('Last call')).toHaveTextContent('none yet');
});

test('without billing there is nothing about money', async () => {
  signedIn({}, { isBillingEnabled: false });
  strip();
  expect(await screen.findByText('42')).toBeVisible();
  expect(screen.queryByText('Charged for calls')).toBeNull();
});

test('the day is asked for by hour, and charts open on request', async () => {
  strip();
  await userEvent.click(await screen.findByRole('radio', { name: '24 hours' }));
  answers(`${BASE}/call-statistics`, { ...SERIES, stepSec: 3600 });
  await userEvent.click(screen.getByRole('button', { name: 'Show charts' }));
  const charts = await screen.findAllByRole('figure');
  expect(charts).toHaveLength(3);
  await userEvent.click(within(charts[0] as HTMLElement).getByRole('button', { name: 'Show as a table' }));
  expect(screen.getByRole('region', { name: 'Calls' })).toHaveTextContent('42');
});

test('figures that are not there say why', async () => {
  answers(`${BASE}/call-statistics`, refusal('mlp.core.internal', 503), 503);
  strip();
  expect(await screen.findByRole('alert')).toBeVisible();
});
