import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { browser } from '@/lib/browser';
import { isSuperadmin, type Session } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn, signedOut } from '@/testing/server';

import { Admitted, ForRoles, Home, homeOf, Landing, WithServices } from './guards';

const session = (superadmin: boolean): Session => ({
  state: 'signed-in',
  user: ANN,
  accountId: ANN.accountId,
  isSuperadmin: superadmin,
  has: () => false,
});

test.each<[Session, boolean, string]>([
  [{ state: 'anonymous' }, false, '/'],
  [session(false), false, '/catalog'],
  [session(false), true, '/workspace'],
  [session(true), true, '/superadmin'],
])('an address that does not exist leads home', (who, hasServices, home) => {
  expect(homeOf(who, hasServices)).toBe(home);
});

test.each([
  [{ permissions: ['Accounts_Admin_Write'], accountId: 1 }, true],
  [{ permissions: ['ACCOUNTS_ADMIN_WRITE'], accountId: null }, false],
  [{ permissions: ['MLP_USER'], accountId: 1 }, false],
])('%o', (user, yes) => {
  expect(isSuperadmin(user)).toBe(yes);
});

const services = (count: number) =>
  answers(`/api/mlpcore/account/${ANN.accountId}/model`, {
    paging: { totalElements: count, totalPages: 1, pageNumber: 0, pageSize: 1 },
    records: [],
  });
const place = (history: ReturnType<typeof show>['history']) => history.location.pathname;
const gone = vi.spyOn(browser, 'go').mockImplementation(() => undefined);
afterEach(() => gone.mockClear());

describe('home', () => {
  test('visitors see the landing', async () => {
    signedOut();
    show(<Landing />);
    expect(await screen.findByRole('heading', { level: 1 })).toBeInTheDocument();
  });

  test.each([
    [3, '/workspace'],
    [0, '/catalog'],
  ])('who has %d services begins at %s', async (count, home) => {
    signedIn();
    services(count);
    const { history } = show(<Landing />);
    await waitFor(() => expect(place(history)).toBe(home));
  });

  test('any other address leads visitors to the landing', async () => {
    signedOut();
    const { history } = show(<Home />, { path: '/no/such' });
    await waitFor(() => expect(place(history)).toBe('/'));
  });

  test('without services the private area sends to the catalogue', async () => {
    signedIn();
    services(0);
    const { history } = show(<WithServices>own</WithServices>, { path: '/workspace' });
    await waitFor(() => expect(place(history)).toBe('/catalog'));
  });
});

describe('private pages', () => {
  const own = <ForRoles roles={['user']}>own</ForRoles>;

  test('send visitors to the landing', async () => {
    signedOut();
    const { history } = show(own, { path: '/workspace' });
    await waitFor(() => expect(place(history)).toBe('/'));
  });

  test('are open to people with an account', async () => {
    signedIn();
    show(own, { path: '/workspace' });
    expect(await screen.findByText('own')).toBeInTheDocument();
  });

  test('are not for other roles', async () => {
    signedIn({ permissions: ['ACCOUNTS_ADMIN_WRITE'] });
    show(own, { path: '/workspace' });
    expect(await screen.findByRole('heading', { name: 'No access' })).toBeInTheDocument();
  });

  test('want an account that may be selected', async () => {
    signedIn();
    answers('/api/accountsadmin/c/users/7/allowed-accounts', [
      { id: ANN.accountId, name: 'acme', availableToSelect: false },
    ]);
    show(own, { path: '/workspace' });
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/c/select-account?redirectUrl=%2Fworkspace'));
  });

  test('whose session ends signs in again and comes back', async () => {
    signedIn();
    const { again } = show(own, { path: '/workspace' });
    await screen.findByText('own');
    signedOut();
    again();
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/c/login?redirectUrl=%2Fworkspace'));
  });
});

describe('refusals', () => {
  test.each([
    [undefined, 'Your account may not open this page.'],
    ['mlp.gate.access_denied_for_account_from_ip', 'This account cannot use the service from your current IP address.'],
  ])('settings that are refused with %s close the application', async (code, text) => {
    signedOut();
    answers('/api/mlpcore/system-config/frontend-settings', code ? refusal(code, 403) : null, 403);
    show(<Admitted>open</Admitted>);
    expect(await screen.findByText(text)).toBeInTheDocument();
    expect(screen.queryByText('open')).not.toBeInTheDocument();
  });

  test.each(['account.access.denied', 'account.not_selected', null])(
    '%s leads to the choice of an account, once',
    async (code) => {
      const react = vi.fn<(consequence: string) => void>();
      const { store } = show(<p />, { react });
      server.use(
        http.get('*/api/mlpbilling/account/1/blocked', () =>
          HttpResponse.json(code ? refusal(code, 403) : null, { status: 403 }),
        ),
      );
      const { billingApi } = await import('@/api');
      await store.dispatch(billingApi.endpoints.billingGetBlocked.initiate({ accountId: 1 }));
      await store.dispatch(billingApi.endpoints.billingGetBlocked.initiate({ accountId: 1 }, { forceRefetch: true }));
      expect(react.mock.calls).toEqual([['select-account']]);
    },
  );

  test('any other refusal is the matter of who asked', async () => {
    const react = vi.fn<(consequence: string) => void>();
    const { store } = show(<p />, { react });
    answers('/api/mlpbilling/account/1/blocked', refusal('mlp.gate.access_denied', 403), 403);
    const { billingApi } = await import('@/api');
    await store.dispatch(billingApi.endpoints.billingGetBlocked.initiate({ accountId: 1 }));
    expect(react).not.toHaveBeenCalled();
  });

  test('an answer that nobody is signed in makes the page ask who is', async () => {
    signedIn();
    const { store } = show(<ForRoles roles={['user']}>own</ForRoles>, { path: '/workspace' });
    await screen.findByText('own');
    signedOut();
    answers('/api/mlpbilling/account/1/blocked', refusal('mlp.gate.unauthorized', 401), 401);
    const { billingApi } = await import('@/api');
    await store.dispatch(billingApi.endpoints.billingGetBlocked.initiate({ accountId: 1 }));
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/c/login?redirectUrl=%2Fworkspace'));
  });
});
