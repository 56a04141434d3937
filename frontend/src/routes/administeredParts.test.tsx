import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import {
  ACCOUNT,
  ACCOUNTS,
  ADMIN,
  balanceOf,
  BILLING,
  CORE,
  LIMITS,
  nothingIn,
  paged,
  STATEMENT,
} from '@/testing/administered';
import { keyOf } from '@/testing/keys';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { AdministeredAccountPage } from './AdministeredAccountPage';

const KEY = keyOf(3, { name: 'production', requestLimit: 20, requestLimitPeriod: 'MINUTE' });
const REFILL = {
  id: 1,
  createdAt: '2026-11-20T10:00:00Z',
  source: 'REQUEST_FROM_AA',
  currency: 'RUBLE',
  amountCurrency: 250,
  status: 'DONE',
  userId: 1,
};
const open = (tab = '') =>
  show(<AdministeredAccountPage />, {
    path: `/superadmin/account/5${tab && `/${tab}`}`,
    route: '/superadmin/account/:account/:tab?',
  });

beforeEach(() => nothingIn());

test('people are the members with their roles and who is invited, and are only read', async () => {
  answers(`${ACCOUNTS}/member`, [
    { userId: 7, login: 'ann@example.org', roles: ['OWNER'] },
    { userId: 8, login: 'bob@example.org', roles: ['MLP_USER'] },
  ]);
  answers(`${ACCOUNTS}/invitation`, [
    {
      id: 4,
      email: 'carl@example.org',
      roles: ['MLP_USER'],
      createdAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    },
  ]);
  open('people');
  expect(await screen.findByRole('row', { name: /ann@example\.org Owner/ })).toBeInTheDocument();
  expect(screen.getByRole('row', { name: /bob@example\.org User/ })).toBeInTheDocument();
  expect(await screen.findByRole('row', { name: /carl@example\.org invited 3 days ago/ })).toBeInTheDocument();
  const panel = screen.getByRole('tabpanel');
  expect(within(panel).queryByRole('combobox')).not.toBeInTheDocument();
  expect(within(panel).queryByRole('textbox')).not.toBeInTheDocument();
  expect(within(panel).queryByRole('button', { name: /Remove|Withdraw|Invite/ })).not.toBeInTheDocument();
});

test('keys have their limits and no secret, and are only read', async () => {
  answers(`${CORE}/token`, [KEY]);
  open('keys');
  const row = await screen.findByRole('row', { name: /production/ });
  expect(row).toHaveTextContent('5.3.…abcd');
  expect(row).toHaveTextContent('20 calls a minute');
  expect(within(row).queryByRole('button')).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Create a key' })).not.toBeInTheDocument();
});

test('services are those of the account alone, in pages, and lead to their pages for callers', async () => {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(
      `*${CORE}/model`,
      ({ request }) => (
        asked.push(new URL(request.url).searchParams),
        HttpResponse.json(
          paged(modelOf({ id: { accountId: 5, modelId: 3 }, lastActivity: null, modelGroupName: null })),
        )
      ),
    ),
  );
  open('services');
  expect(await screen.findByRole('link', { name: 'Counter' })).toHaveAttribute('href', '/catalog/acme/counter');
  expect(asked.map((one) => [one.get('onlyMy'), one.get('page'), one.get('sort')])).toEqual([['true', '0', 'id,desc']]);
  expect(screen.queryByRole('button', { name: /^Actions/ })).not.toBeInTheDocument();
});

const balance = () => screen.findByRole('region', { name: 'Balance' });
const refill = async () => within(await screen.findByRole('region', { name: 'Refill' }));

describe('money', () => {
  test('a refill has a unit, a reason and one key, and is seen at once', async () => {
    let sent: unknown;
    server.use(
      http.post('*/api/mlpbilling/admin/account/5/refill', async ({ request }) => {
        sent = await request.json();
        answers(`${BILLING}/balance`, balanceOf(260));
        answers(`${BILLING}/refill/history`, [REFILL]);
        answers(`${BILLING}/statement`, {
          ...STATEMENT,
          balanceChange: { ...STATEMENT.balanceChange, refills: '250', closing: '260' },
        });
        return HttpResponse.json({});
      }),
    );
    open('money');
    await waitFor(async () => expect(await balance()).toHaveTextContent(/10\.00\s₽/));
    const form = await refill();
    expect(form.getByText('₽')).toBeInTheDocument();
    await userEvent.type(form.getByRole('textbox', { name: 'Amount, ₽' }), '250');
    await userEvent.type(form.getByRole('textbox', { name: 'Reason' }), 'a gift');
    await userEvent.click(form.getByRole('button', { name: 'Refill' }));
    await waitFor(() =>
      expect(sent).toEqual({
        amountCurrency: 250,
        currency: 'RUBLE',
        comment: 'a gift',
        idempotencyKey: expect.stringMatching(/.{8}/) as string,
      }),
    );
    await waitFor(async () => expect(await balance()).toHaveTextContent(/260\.00\s₽/));
    expect(await screen.findByText('By the administrator')).toBeInTheDocument();
    await waitFor(() =>
      expect(screen.getByRole('region', { name: 'How the balance changed' })).toHaveTextContent('Refills+250'),
    );
    expect(form.getByRole('textbox', { name: 'Reason' })).toHaveValue('');
  });

  test('a refused refill says why in its form, and keeps what was typed', async () => {
    server.use(
      http.post('*/api/mlpbilling/admin/account/5/refill', () =>
        HttpResponse.json(
          { ...refusal('mlp.core.validation_error', 400), args: { amountCurrency: 'is too much' } },
          { status: 400 },
        ),
      ),
    );
    open('money');
    const form = await refill();
    await userEvent.type(form.getByRole('textbox', { name: /^Amount/ }), '250');
    await userEvent.type(form.getByRole('textbox', { name: 'Reason' }), 'a gift');
    await userEvent.click(form.getByRole('button', { name: 'Refill' }));
    expect(await form.findByText('is too much')).toBeInTheDocument();
    expect(form.getByRole('textbox', { name: 'Reason' })).toHaveValue('a gift');
  });

  test('a refill without an amount or a reason is not sent', async () => {
    open('money');
    const form = await refill();
    await userEvent.click(form.getByRole('button', { name: 'Refill' }));
    expect(await form.findAllByText('This field is required')).toHaveLength(2);
  });

  test('an account that may sell has an income', async () => {
    answers(`${ADMIN}/features`, { features: [{ name: 'mlp.public_model_admin', enabled: true }] });
    open('money');
    expect(await screen.findByRole('region', { name: 'Income' })).toBeInTheDocument();
  });

  test('an installation without billing has none', async () => {
    nothingIn({ isBillingEnabled: false });
    open('money');
    expect(await screen.findByText('There is no billing here')).toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Refill' })).not.toBeInTheDocument();
  });
});

test('saved limits are still there after another part was open', async () => {
  let limits = LIMITS;
  server.use(
    http.get(`*${ADMIN}`, () => HttpResponse.json({ ...ACCOUNT, limits })),
    http.post(`*${ADMIN}/limits`, async ({ request }) => {
      const { reason: _reason, ...sent } = (await request.json()) as typeof LIMITS & { reason: string };
      limits = sent;
      return HttpResponse.json({ ...ACCOUNT, limits });
    }),
  );
  open('limits');
  const calls = await screen.findByRole('textbox', { name: 'Calls per second' });
  await userEvent.clear(calls);
  await userEvent.type(calls, '25');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Reason' }), 'agreed');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument());
  expect(screen.queryByRole('textbox', { name: 'Reason' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('tab', { name: 'People' }));
  expect(await screen.findByText('No members')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('tab', { name: 'Limits' }));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Calls per second' })).toHaveValue('25'));
});
