import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import { ACCOUNT, ACCOUNTS, ADMIN, AUDIT, BILLING, CORE, nothingIn } from '@/testing/administered';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { AdministeredAccountPage } from './AdministeredAccountPage';

const open = (tab = '') =>
  show(<AdministeredAccountPage />, {
    path: `/superadmin/account/5${tab && `/${tab}`}`,
    route: '/superadmin/account/:account/:tab?',
  });

beforeEach(() => nothingIn());

describe('the page', () => {
  test('names the account and the open part, and leads back to all accounts', async () => {
    open('keys');
    expect(await screen.findByRole('heading', { level: 1, name: 'Acme Research' })).toBeInTheDocument();
    expect(screen.getByRole('tab', { name: 'API keys', selected: true })).toHaveAttribute(
      'href',
      '/superadmin/account/5/keys',
    );
    expect(screen.getByRole('link', { name: 'Accounts' })).toHaveAttribute('href', '/superadmin');
    await waitFor(() => expect(document.title).toMatch(/^API keys · Acme Research · /));
  });

  test('each part has its address', async () => {
    const { history } = open();
    expect(await screen.findByRole('tab', { name: 'Access and features', selected: true })).toHaveAttribute(
      'href',
      '/superadmin/account/5',
    );
    await userEvent.click(screen.getByRole('tab', { name: 'People' }));
    expect(history.location.pathname).toBe('/superadmin/account/5/people');
    expect(await screen.findByRole('tab', { name: 'People', selected: true })).toBeInTheDocument();
  });

  test('the address may name the account instead of its number', async () => {
    answers('/api/mlpcore/admin/account/acme', ACCOUNT);
    show(<AdministeredAccountPage />, {
      path: '/superadmin/account/acme/keys',
      route: '/superadmin/account/:account/:tab?',
    });
    expect(await screen.findByText('No keys')).toBeInTheDocument();
  });

  test('an account that does not exist is a page that does not', async () => {
    answers(ADMIN, refusal('account.not_found', 404), 404);
    open();
    expect(await screen.findByRole('heading', { name: /There is no 5 here/ })).toBeInTheDocument();
  });
});

const EMPTY: Record<string, string> = {
  '': 'This platform has no features to switch on.',
  people: 'No members',
  keys: 'No keys',
  services: 'No services',
  money: 'No refills yet',
  audit: 'No events',
};

test.each(Object.keys(EMPTY))('the part "%s" says that there is nothing', async (tab) => {
  open(tab);
  expect(await screen.findByText(EMPTY[tab] ?? '')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

const READ: Record<string, string[]> = {
  '': [ACCOUNTS, `${ADMIN}/features`],
  people: [`${ACCOUNTS}/member`],
  keys: [`${CORE}/token`],
  services: [`${CORE}/model`],
  money: [`${BILLING}/balance`, `${BILLING}/statement`, `${BILLING}/refill/history`],
  limits: [`${CORE}/limits/use`],
  audit: [AUDIT, `${ADMIN}/changes`],
};

test.each(Object.keys(READ))('the part "%s" says what could not be read, and reads again', async (tab) => {
  const paths = READ[tab] ?? [];
  for (const path of paths) answers(path, refusal('mlp.core.internal', 500, 'the database is away'), 500);
  open(tab);
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Try again' })).toHaveLength(paths.length));
  nothingIn();
  for (const button of screen.getAllByRole('button', { name: 'Try again' })) await userEvent.click(button);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument());
});

test.each(Object.keys(READ))('the part "%s" has its outline while the answer is awaited', async (tab) => {
  for (const path of READ[tab] ?? []) server.use(http.get(`*${path}`, () => new Promise<never>(() => undefined)));
  const { container } = open(tab);
  await screen.findByRole('heading', { level: 1, name: 'Acme Research' });
  await waitFor(() =>
    expect(
      container.querySelector('[role=tabpanel] .mantine-Skeleton-root, [role=tabpanel] [aria-busy=true]'),
    ).not.toBeNull(),
  );
});
