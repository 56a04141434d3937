import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers, server } from '@/testing/server';

import { Accounts } from './Accounts';
import { TeamRequests } from './TeamRequests';

const LIST = '/api/mlpcore/admin/team-requests';
const REQUEST = {
  id: 4,
  kind: 'mlp.model_admin',
  accountId: 5,
  userId: 7,
  login: 'ann@example.org',
  contacts: 'ann',
  comment: 'please',
  createdAt: '2026-11-20T10:00:00Z',
  mailState: 'OFF',
  state: 'OPEN',
  answer: null,
  answeredBy: null,
  answeredAt: null,
};
const paged = (records: object[]) => ({
  records,
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 20 },
});

test('a request names the feature, and is answered and closed', async () => {
  let sent: unknown;
  answers(LIST, paged([REQUEST]));
  server.use(
    http.put(
      `*${LIST}/4`,
      async ({ request }) => ((sent = await request.json()), HttpResponse.json({ ...REQUEST, state: 'CLOSED' })),
    ),
  );
  show(<TeamRequests />);
  await userEvent.click(await screen.findByRole('button', { name: 'Create and manage services' }));
  const drawer = await screen.findByRole('dialog');
  await userEvent.type(within(drawer).getByRole('textbox', { name: 'Answer' }), 'You have it.');
  await userEvent.click(within(drawer).getByRole('button', { name: 'Answer and close' }));
  await waitFor(() => expect(sent).toEqual({ state: 'CLOSED', answer: 'You have it.' }));
});

test('the opened request is in the address, also one of another page', async () => {
  answers(LIST, paged([REQUEST]));
  answers(`${LIST}/9`, { ...REQUEST, id: 9, kind: 'demo', comment: 'show us' });
  const { history } = show(<TeamRequests />, { path: '/?request=9' });
  expect(await within(await screen.findByRole('dialog')).findByText('show us')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(history.location.search).toBe('');
  await userEvent.click(await screen.findByRole('button', { name: 'Create and manage services' }));
  expect(history.location.search).toBe('?request=4');
});

test('a request that does not exist is said to be missing', async () => {
  answers(LIST, paged([REQUEST]));
  server.use(
    http.get(`*${LIST}/9`, () => HttpResponse.json({ code: 'mlp.core.not_found', args: {} }, { status: 404 })),
  );
  show(<TeamRequests />, { path: '/?request=9' });
  expect(await within(await screen.findByRole('dialog')).findByRole('alert')).toBeInTheDocument();
});

test('a request is closed only with an answer', async () => {
  answers(LIST, paged([REQUEST]));
  show(<TeamRequests />);
  await userEvent.click(await screen.findByRole('button', { name: 'Create and manage services' }));
  expect(await screen.findByRole('button', { name: 'Answer and close' })).toBeDisabled();
});

test('a closed request is opened again with its answer', async () => {
  let sent: unknown;
  answers(
    LIST,
    paged([
      {
        ...REQUEST,
        kind: 'contact',
        state: 'CLOSED',
        answer: 'no',
        answeredBy: 'root@example.org',
        answeredAt: '2026-11-20T11:00:00Z',
      },
    ]),
  );
  server.use(
    http.put(`*${LIST}/4`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(REQUEST))),
  );
  show(<TeamRequests />);
  await userEvent.click(await screen.findByRole('button', { name: 'Question' }));
  expect(await screen.findByText(/Answered by root@example\.org/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Open again' }));
  await waitFor(() => expect(sent).toEqual({ state: 'OPEN', answer: null }));
});

test('the state in the address narrows the requests', async () => {
  let asked: string | null = '';
  server.use(
    http.get(
      `*${LIST}`,
      ({ request }) => ((asked = new URL(request.url).searchParams.get('state')), HttpResponse.json(paged([]))),
    ),
  );
  show(<TeamRequests />, { path: '/?state=CLOSED' });
  expect(await screen.findByText(/Nothing matches/)).toBeInTheDocument();
  expect(asked).toBe('CLOSED');
});

test('the search for an account is in the address, and each account found has its page', async () => {
  answers('/api/mlpcore/admin/accounts', [
    { accountId: 5, shortName: 'acme', displayName: 'Acme', email: 'a@example.org' },
  ]);
  const { history } = show(<Accounts />, { path: '/?search=ac' });
  expect(await screen.findByRole('searchbox')).toHaveValue('ac');
  const found = await screen.findByRole('link', { name: 'acme' });
  expect(found).toHaveAttribute('href', '/superadmin/account/5');
  await userEvent.click(screen.getByText('a@example.org'));
  expect(history.location.pathname).toBe('/superadmin/account/5');
});

test.each([
  ['5', '/superadmin/account/5'],
  ['a%2Fb', '/superadmin/account/a%2Fb'],
])(
  'a kept address that opened the account %s leads to its page, and back to what was before',
  async (account, page) => {
    const { history } = show(<Accounts />, { path: `/superadmin?search=ac&account=${account}` });
    await waitFor(() => expect(history.location.pathname).toBe(page));
    expect([history.location.search, history.length]).toEqual(['', 1]);
  },
);

test('a request leads to the page of the account that asks', async () => {
  answers(LIST, paged([REQUEST]));
  show(<TeamRequests />);
  expect(await screen.findByRole('link', { name: '5' })).toHaveAttribute('href', '/superadmin/account/5');
});
