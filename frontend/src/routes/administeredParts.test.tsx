import { readFileSync } from 'node:fs';

import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import en from '@/locales/en.json';
import {
  ACCOUNT,
  ACCOUNTS,
  ADMIN,
  AUDIT,
  balanceOf,
  BILLING,
  CORE,
  LIMITS,
  nothingIn,
  paged,
  STATEMENT,
} from '@/testing/administered';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { AdministeredAccountPage } from './AdministeredAccountPage';

const KEY: AccessTokenData = {
  token: '5.3.************abcd',
  name: 'production',
  creationDate: '2026-11-21T12:00:00Z',
  expiresAt: null,
  permissions: ['predict'],
  allowedServices: null,
  allowedLlms: null,
  temporary: false,
  maxLifetime: null,
  maxLifetimePeriod: null,
  requestLimit: 20,
  requestLimitPeriod: 'MINUTE',
  maxRequestSize: null,
  maxRequestSizeUnit: null,
  spendingLimits: null,
  expenseLimit: null,
  maxPricePerCall: null,
  notificationEmails: null,
  allowedOrigins: [],
};
const REFILL = {
  id: 1,
  createdAt: '2026-11-20T10:00:00Z',
  source: 'REQUEST_FROM_AA',
  currency: 'RUBLE',
  amountCurrency: 250,
  status: 'DONE',
  userId: 1,
};
const EVENT = {
  id: 9,
  occurredAt: '2026-11-20T10:00:00Z',
  kind: 'MEMBERSHIP_CHANGED',
  actorUserId: 7,
  userId: 8,
  accountId: 5,
  login: null,
  address: '198.51.100.7',
  userAgent: 'curl',
  details: { roles: 'MLP_DEVELOPER' },
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

describe('audit', () => {
  test('says what was done, by whom, to whom, and with which details', async () => {
    answers(`${ACCOUNTS}/member`, [{ userId: 7, login: 'ann@example.org', roles: ['OWNER'] }]);
    answers(AUDIT, paged(EVENT));
    open('audit');
    const row = await screen.findByRole('row', { name: /Membership changed/ });
    await waitFor(() => expect(row).toHaveTextContent('ann@example.org'));
    expect(row).toHaveTextContent('roles: MLP_DEVELOPER');
    expect(row).toHaveTextContent('User 8');
    expect(row).toHaveTextContent('198.51.100.7');
  });

  test('shows the reason of an administrator apart from what an owner chooses', async () => {
    answers(AUDIT, paged({ ...EVENT, kind: 'ACCOUNT_CHANGED', details: { active: 'False', reason: 'not paid' } }));
    open('audit');
    expect(await screen.findByText('Reason: not paid')).toBeInTheDocument();
    expect(screen.getByRole('row', { name: /Account changed/ })).toHaveTextContent('active: False');
  });

  test('shows who changed limits, features and networks, from what to what, and why', async () => {
    answers(
      `${ADMIN}/changes`,
      paged(
        {
          id: 2,
          occurredAt: '2026-11-20T10:00:00Z',
          actorUserId: 7,
          actorLogin: 'ann@example.org',
          kind: 'LIMITS_CHANGED',
          details: { predictPerSec: { before: 10, after: 25_000 }, memoryLimit: { before: '8Gi', after: '16Gi' } },
          reason: 'agreed',
        },
        {
          id: 1,
          occurredAt: '2026-11-19T10:00:00Z',
          actorUserId: null,
          actorLogin: null,
          kind: 'FEATURES_CHANGED',
          details: { 'mlp.test_form': { before: false, after: true } },
          reason: null,
        },
        {
          id: 0,
          occurredAt: '2026-11-18T10:00:00Z',
          actorUserId: 8,
          actorLogin: 'root',
          kind: 'NETWORKS_CHANGED',
          details: { whiteList: { before: '', after: '10.0.0.0/8' } },
          reason: null,
        },
      ),
    );
    open('audit');
    const limits = await screen.findByRole('row', { name: /Limits changed/ });
    expect(screen.getByRole('region', { name: 'Changes of limits, features and allowed networks' })).toContainElement(
      limits,
    );
    expect(limits).toHaveTextContent(/Calls per second: 10 → 25\s000/);
    expect(limits).toHaveTextContent('Memory: 8Gi → 16Gi');
    expect(limits).toHaveTextContent('agreed');
    expect(limits).toHaveTextContent('ann@example.org');
    const switched = screen.getByRole('row', { name: /Features changed/ });
    expect(switched).toHaveTextContent('Use the test form: off → on');
    expect(switched).toHaveTextContent('Setup of the platform');
    expect(screen.getByRole('row', { name: /Networks changed/ })).toHaveTextContent(
      'Calls are accepted from: any address → 10.0.0.0/8',
    );
  });

  test('turns the pages of its two lists apart', async () => {
    const asked: (string | null)[] = [];
    server.use(
      http.get(
        `*${ADMIN}/changes`,
        ({ request }) => (asked.push(new URL(request.url).searchParams.get('page')), HttpResponse.json(paged())),
      ),
    );
    show(<AdministeredAccountPage />, {
      path: '/superadmin/account/5/audit?page=3&changes.page=2',
      route: '/superadmin/account/:account/:tab?',
    });
    await waitFor(() => expect(asked).toEqual(['1']));
  });

  test('is asked for the account alone, with the kind of the address', async () => {
    const asked: string[] = [];
    server.use(
      http.get(`*${AUDIT}`, ({ request }) => (asked.push(new URL(request.url).search), HttpResponse.json(paged()))),
    );
    show(<AdministeredAccountPage />, {
      path: '/superadmin/account/5/audit?kind=ACCOUNT_CHANGED',
      route: '/superadmin/account/:account/:tab?',
    });
    expect(await screen.findByText(/Nothing matches: Event: Account changed/)).toBeInTheDocument();
    expect(asked).toEqual(['?accountId=5&kind=ACCOUNT_CHANGED&page=0&size=50&sort=id%2Cdesc']);
  });

  test('each kind that the server records has a text', () => {
    const { components } = JSON.parse(readFileSync('src/api/openapi/accountsadmin.json', 'utf8')) as {
      components: { schemas: { SecurityEvent: { enum: string[] } } };
    };
    expect(Object.keys(en.Admin.events).toSorted()).toEqual(components.schemas.SecurityEvent.enum.toSorted());
    const core = JSON.parse(readFileSync('src/api/openapi/mlpcore.json', 'utf8')) as {
      components: { schemas: { AccountChangeKind: { enum: string[] } } };
    };
    expect(Object.keys(en.Admin.changeKind).toSorted()).toEqual(
      core.components.schemas.AccountChangeKind.enum.toSorted(),
    );
  });
});
