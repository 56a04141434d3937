import { readFileSync } from 'node:fs';

import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import en from '@/locales/en.json';
import { ACCOUNTS, ADMIN, AUDIT, nothingIn, paged } from '@/testing/administered';
import { show } from '@/testing/render';
import { answers, server } from '@/testing/server';

import { AdministeredAccountPage } from './AdministeredAccountPage';

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

const open = (query = '') =>
  show(<AdministeredAccountPage />, {
    path: `/superadmin/account/5/audit${query}`,
    route: '/superadmin/account/:account/:tab?',
  });

beforeEach(() => nothingIn());

test('says what was done, by whom, to whom, and with which details', async () => {
  answers(`${ACCOUNTS}/member`, [{ userId: 7, login: 'ann@example.org', roles: ['OWNER'] }]);
  answers(AUDIT, paged(EVENT));
  open();
  const row = await screen.findByRole('row', { name: /Membership changed/ });
  await waitFor(() => expect(row).toHaveTextContent('ann@example.org'));
  expect(row).toHaveTextContent('roles: MLP_DEVELOPER');
  expect(row).toHaveTextContent('User 8');
  expect(row).toHaveTextContent('198.51.100.7');
});

test('shows the reason of an administrator apart from what an owner chooses', async () => {
  answers(AUDIT, paged({ ...EVENT, kind: 'ACCOUNT_CHANGED', details: { active: 'False', reason: 'not paid' } }));
  open();
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
  open();
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
  open('?page=3&changes.page=2');
  await waitFor(() => expect(asked).toEqual(['1']));
});

test('is asked for the account alone, with the kind of the address', async () => {
  const asked: string[] = [];
  server.use(
    http.get(`*${AUDIT}`, ({ request }) => (asked.push(new URL(request.url).search), HttpResponse.json(paged()))),
  );
  open('?kind=ACCOUNT_CHANGED');
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
