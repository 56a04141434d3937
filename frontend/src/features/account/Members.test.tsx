import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { Members } from './Members';

const PATH = `/api/accountsadmin/account/${ANN.accountId}`;
const BOB = { userId: 8, login: 'bob@example.org', roles: ['MLP_USER'] };

/** Member pages render only after the user is known. */
function Known() {
  return useSession().state === 'signed-in' ? <Members /> : null;
}

function open({ owner = true } = {}) {
  signedIn({ accountOwner: owner });
  answers(`${PATH}/member`, [{ userId: 7, login: ANN.login, roles: ['OWNER'] }, BOB]);
  answers(`${PATH}/invitation`, []);
  show(<Known />);
}

test('an owner changes what others may do, and nobody changes themselves', async () => {
  let sent: unknown;
  open();
  server.use(
    http.put(
      `*${PATH}/member/8`,
      async ({ request }) => ((sent = await request.json()), HttpResponse.json({ ...BOB, roles: ['MLP_DEVELOPER'] })),
    ),
  );
  await userEvent.selectOptions(await screen.findByRole('combobox', { name: /bob@example\.org/ }), 'MLP_DEVELOPER');
  await waitFor(() => expect(sent).toEqual({ roles: ['MLP_DEVELOPER'] }));
  expect(within(screen.getByRole('row', { name: /ann@/ })).queryByRole('button')).not.toBeInTheDocument();
});

test('who is removed is asked about first', async () => {
  let removed = false;
  open();
  server.use(http.delete(`*${PATH}/member/8`, () => ((removed = true), new HttpResponse(null))));
  await userEvent.click(
    within(await screen.findByRole('row', { name: /bob@/ })).getByRole('button', { name: 'Remove' }),
  );
  expect(removed).toBe(false);
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(removed).toBe(true));
});

test('what is wrong with an address stands at it', async () => {
  open();
  server.use(
    http.post(`*${PATH}/invitation`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { email: 'is no address' } },
        { status: 400 },
      ),
    ),
  );
  await userEvent.type(await screen.findByRole('textbox', { name: 'E-mail of who is invited' }), 'bob');
  await userEvent.click(screen.getByRole('button', { name: 'Invite' }));
  expect(await screen.findByText('is no address')).toBeInTheDocument();
});

test('a member who is no owner sees names and roles alone', async () => {
  open({ owner: false });
  expect(await screen.findByText('bob@example.org')).toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
});

test('a list that cannot be read says why', async () => {
  signedIn({ accountOwner: false });
  answers(`${PATH}/member`, refusal('account.internal', 500, 'the database is away'), 500);
  show(<Known />);
  expect(await screen.findByText(/the database is away/)).toBeInTheDocument();
});

test('who is invited stands among the members, and an invitation can be withdrawn', async () => {
  let withdrawn = false;
  open();
  answers(`${PATH}/invitation`, [
    {
      id: 4,
      email: 'carl@example.org',
      roles: ['MLP_USER'],
      createdAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    },
  ]);
  server.use(http.delete(`*${PATH}/invitation/4`, () => ((withdrawn = true), new HttpResponse(null))));
  const row = await screen.findByRole('row', { name: /carl@example\.org/ });
  expect(row).toHaveTextContent('invited 3 days ago');
  await userEvent.click(within(row).getByRole('button', { name: 'Withdraw' }));
  await waitFor(() => expect(withdrawn).toBe(true));
});

test('many members are searched and narrowed by role, and the address says how', async () => {
  signedIn({ accountOwner: false });
  answers(
    `${PATH}/member`,
    Array.from({ length: 12 }, (_, index) => ({
      userId: 20 + index,
      login: `user${index}@example.org`,
      roles: [index === 3 ? 'MLP_DEVELOPER' : 'MLP_USER'],
    })),
  );
  const { history } = show(<Known />);
  await userEvent.click(await screen.findByRole('combobox', { name: 'Role' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Developer', hidden: true }));
  expect(history.location.search).toBe('?role=MLP_DEVELOPER');
  expect(screen.getByText('user3@example.org')).toBeInTheDocument();
  expect(screen.queryByText('user4@example.org')).not.toBeInTheDocument();
});
