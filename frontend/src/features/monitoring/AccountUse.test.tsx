import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeAll, expect, test } from 'vitest';

import { canvas } from '@/testing/canvas';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import AccountUse from './AccountUse';

const API = '/api/mlpcore/account/9';
const AT = Date.now() - 120_000;

beforeAll(() => {
  canvas();
});

function open(measured: object, since: number | null = 1_700_000_000_000) {
  signedIn({ accountId: 9 });
  const asked: URLSearchParams[] = [];
  answers(`${API}/metric/start-time`, since);
  server.use(
    http.get(
      `*${API}/metric-range`,
      ({ request }) => (asked.push(new URL(request.url).searchParams), HttpResponse.json(measured)),
    ),
  );
  show(<AccountUse account="9" />);
  return asked;
}

test('use is drawn beside its limit, in the period that is chosen', async () => {
  const asked = open({ ACCOUNT_RAM_USAGE: [{ ts: AT, v: 2048 }], ACCOUNT_RAM_LIMIT: [{ ts: AT, v: 4096 }] });
  expect(await screen.findByRole('list', { name: 'Memory: legend' })).toHaveTextContent('In useReservedLimit');
  expect(screen.queryByText('GPUs')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('combobox', { name: 'Period' }));
  await userEvent.click(await screen.findByRole('option', { name: '1 year', hidden: true }));
  await expect.poll(() => asked.at(-1)?.get('minutes')).toBe('525600');
  expect(asked[0]?.getAll('metrics')).toContain('ACCOUNT_CPU_LIMIT');
});

test('before the first instance it says when data begin', async () => {
  open({}, null);
  expect((await screen.findAllByText(/data begin with the first instance/)).length).toBe(4);
});

test('a key without the right is told so', async () => {
  open({});
  answers(`${API}/metric-range`, refusal('account.forbidden', 403), 403);
  await userEvent.click(screen.getByRole('combobox', { name: 'Period' }));
  await userEvent.click(await screen.findByRole('option', { name: '1 day', hidden: true }));
  expect(await screen.findByRole('alert')).toBeInTheDocument();
});
