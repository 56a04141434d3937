import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { refusal, server } from '@/testing/server';

import { Logs } from './Logs';

const PATH = '*/api/mlpcore/account/9/model/counter/instance/5/file/logs/tail';
let asked: string[];
let written: string;

beforeEach(() => {
  asked = [];
  written = 'INFO one\nERROR two\n';
  server.use(
    http.get(PATH, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      const start = Number(searchParams.get('since'));
      return HttpResponse.json({ run: '1.0', start, end: written.length, text: written.slice(start) });
    }),
  );
});

const logs = () => show(<Logs account="9" model="counter" instanceId={5} />);
const log = () => screen.findByRole('log', { name: 'Logs' });

test('each request asks only for what came since the last answer', async () => {
  logs();
  expect(await log()).toHaveTextContent('INFO one');
  written += 'WARNING three\n';
  expect(await screen.findByText('WARNING three')).toBeVisible();
  expect(asked.slice(0, 2)).toEqual(['?previousContainer=false&since=0', '?previousContainer=false&run=1.0&since=19']);
  expect(screen.getByText('3 lines')).toBeVisible();
});

test('only the lines in sight are elements', async () => {
  written = Array.from({ length: 5000 }, (_, number) => `line ${number}`).join('\n');
  logs();
  expect(await screen.findByText(/^5.000 lines$/)).toBeVisible();
  expect((await log()).querySelectorAll('[data-level]').length).toBeLessThan(100);
});

test('a search and a level narrow the lines', async () => {
  logs();
  await screen.findByText('INFO one');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Find in the log' }), 'TWO');
  expect(await screen.findByText('1 of 2 lines')).toBeVisible();
  expect(await log()).not.toHaveTextContent('INFO one');
});

test('what is paused asks for nothing', async () => {
  logs();
  await screen.findByText('INFO one');
  await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
  const before = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(asked.length).toBe(before);
  await userEvent.click(screen.getByRole('button', { name: 'Resume' }));
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before));
});

test('somebody who has scrolled away returns to the end by a button', async () => {
  logs();
  const place = await log();
  Object.defineProperty(place, 'scrollHeight', { value: 4000, configurable: true });
  Object.defineProperty(place, 'clientHeight', { value: 400, configurable: true });
  expect(screen.queryByRole('button', { name: 'Jump to end' })).toBeNull();
  fireEvent.scroll(place, { target: { scrollTop: 100 } });
  await userEvent.click(screen.getByRole('button', { name: 'Jump to end' }));
  expect(place.scrollTop).toBe(4000);
  expect(screen.queryByRole('button', { name: 'Jump to end' })).toBeNull();
});

test('a log that is not shown says why', async () => {
  server.use(
    http.get(PATH, () => HttpResponse.json(refusal('mlp.core.restricted_image', 403) as never, { status: 403 })),
  );
  logs();
  expect(await screen.findByRole('alert')).toBeVisible();
  expect(screen.queryByRole('log')).toBeNull();
});
