import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse, type JsonBodyType } from 'msw';
import { useParams } from 'react-router';
import { beforeAll, expect, test } from 'vitest';

import { canvas } from '@/testing/canvas';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import GroupMonitoring from './GroupMonitoring';

const BASE = '/workspace/resource-group/9/mine/monitoring';
const API = '/api/mlpcore/account/9/resource-groups/mine';
const NOW = Date.now();
const HAS = { milliCpu: 4000, ramMb: 8192, diskMb: 20_480, gpu: 0, vramMb: 0 };
const ENTRY = {
  recordId: 1,
  timestamp: new Date(NOW - 60_000).toISOString(),
  level: 'INFO',
  code: 'CAPACITY_CHANGED',
  node: 's1',
  message: 'changed',
  args: { serverId: 3, name: 's1', before: HAS, after: { ...HAS, milliCpu: 8000 } },
};

function Routed() {
  const { section } = useParams();
  return <GroupMonitoring account="9" groupName="mine" view={section} base={BASE} />;
}

const page = (content: readonly object[]) => ({
  content,
  totalElements: content.length,
  totalPages: content.length,
  number: 0,
  size: 50,
});

function open({
  path = BASE,
  measured = {},
  entries = [ENTRY],
  language = 'en',
}: { path?: string; measured?: object; entries?: readonly object[]; language?: 'en' | 'ru' } = {}) {
  signedIn({ accountId: 9 });
  const asked: URL[] = [];
  const told = (name: string, body: object) =>
    server.use(
      http.get(
        `*${API}/${name}`,
        ({ request }) => (asked.push(new URL(request.url)), HttpResponse.json(body as JsonBodyType)),
      ),
    );
  answers(`${API}/capacity`, {
    servers: [
      { serverId: 3, name: 's1' },
      { serverId: 4, name: 's2' },
    ],
  });
  answers(`${API}/metric/start-time`, 1_700_000_000_000);
  told('metric-range', measured);
  told('logs/page', page([{ ...ENTRY, recordId: 2, code: 'of.tomorrow', message: 'the server answers' }]));
  told('capacity/logs/page', page(entries));
  const view = show(<Routed />, { path, route: `${BASE}/:section?`, language });
  return {
    ...view,
    asked,
    last: (name: string) => asked.filter(({ pathname }) => pathname.endsWith(name)).at(-1)?.searchParams,
  };
}

beforeAll(() => {
  canvas();
});

test('one server of the group is chosen, and the address keeps it', async () => {
  const { last, history } = open({
    measured: { NODE_CPU_USAGE: [{ ts: NOW - 120_000, v: 1500 }], NODE_CPU_CAPACITY: [{ ts: NOW - 120_000, v: 8000 }] },
  });
  expect(await screen.findByText('CPU, cores')).toBeInTheDocument();
  await expect.poll(() => last('metric-range')?.has('nodeName')).toBe(false);
  await userEvent.click(screen.getByRole('combobox', { name: 'Server' }));
  await userEvent.click(await screen.findByRole('option', { name: 's2', hidden: true }));
  await expect.poll(() => last('metric-range')?.get('nodeName')).toBe('s2');
  expect(history.location.search).toContain('node=s2');
});

test('servers without GPUs have no charts of them', async () => {
  open({ measured: { NODE_CPU_USAGE: [{ ts: NOW - 120_000, v: 1500 }] } });
  expect((await screen.findAllByText(/There are data since/)).length).toBe(2);
  expect(screen.getByText('CPU, cores')).toBeInTheDocument();
  expect(screen.queryByText('GPUs')).not.toBeInTheDocument();
});

test('values are said as cores, with the moment', async () => {
  open({ measured: { NODE_CPU_USAGE: [{ ts: NOW - 120_000, v: 1500 }] } });
  const [button] = await screen.findAllByRole('button', { name: 'Show as a table' });
  if (button) await userEvent.click(button);
  const table = await screen.findByRole('region', { name: 'CPU, cores' });
  expect(within(table).getByRole('cell', { name: '1.5' })).toBeInTheDocument();
});

test('events of the group are those of the period', async () => {
  const { last } = open({ path: `${BASE}/events?minutes=1440` });
  expect(await screen.findByText('the server answers')).toBeInTheDocument();
  expect(last('/logs/page')?.get('minutes')).toBe('1440');
  expect(screen.queryByRole('combobox', { name: 'Server' })).not.toBeInTheDocument();
});

test('a change of resources says what was before; the other amounts are said once', async () => {
  const { last } = open({ path: `${BASE}/changes?node=s1`, language: 'ru' });
  const table = await screen.findByRole('table', { name: 'История изменения ресурсов' });
  expect(within(table).getByText('4 → 8')).toBeInTheDocument();
  expect(within(table).getByText('8 ГиБ')).toBeInTheDocument();
  expect(last('/capacity/logs/page')?.get('serverName')).toBe('s1');
});

test('a period without entries says so', async () => {
  open({ path: `${BASE}/changes`, entries: [] });
  expect(await screen.findByText('Nothing happened in this period')).toBeInTheDocument();
});

test('a refusal is said', async () => {
  open({ path: BASE });
  answers(`${API}/metric-range`, refusal('notfound.resource_group', 404), 404);
  await userEvent.click(screen.getByRole('combobox', { name: 'Period' }));
  await userEvent.click(await screen.findByRole('option', { name: '1 day', hidden: true }));
  expect(await screen.findByRole('alert')).toBeInTheDocument();
});
