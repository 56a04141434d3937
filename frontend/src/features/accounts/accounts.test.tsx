import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { browser } from '@/lib/browser';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { ForgotPasswordPage } from './ForgotPasswordPage';
import { LoginPage } from './LoginPage';
import { RegisterPage } from './RegisterPage';
import { ResetPasswordPage } from './ResetPasswordPage';
import { SelectAccountPage } from './SelectAccountPage';

const gone = vi.spyOn(browser, 'go').mockImplementation(() => undefined);
beforeEach(() => answers('/api/accountsadmin/public/options', { domains: [], mailAvailable: true }));
afterEach(() => {
  gone.mockClear();
  window.history.replaceState(null, '', '/');
});
const at = (address: string) => window.history.replaceState(null, '', address);

const fill = async () => {
  await userEvent.type(await screen.findByLabelText(/E-mail/), 'ann@example.org');
  await userEvent.type(screen.getByLabelText(/^Password/), 'secret-word');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
};
const signsIn = (body: object, status = 200) =>
  server.use(http.post('*/api/accountsadmin/c/authorization/login', () => HttpResponse.json(body, { status })));

const person = () => {
  answers('/api/accountsadmin/c/users/current', { userId: 7, login: 'ann@example.org' });
  answers('/api/accountsadmin/c/account-invitation/get-by-user', [
    { id: 3, accountId: 9, accountName: 'beta', createdAt: '2026-11-21T12:00:00Z' },
  ]);
  answers('/api/accountsadmin/c/users/7/allowed-accounts', [
    { id: 1, name: 'acme', availableToSelect: true },
    { id: 2, name: 'closed', availableToSelect: false },
  ]);
};

describe('signing in', () => {
  test('goes on to where one came from', async () => {
    at('/c/login?redirectUrl=%2Fworkspace%2Fbilling');
    signsIn({ userId: 7, login: 'ann@example.org', accountId: 1, redirectUrl: '/workspace/billing' });
    show(<LoginPage />);
    await fill();
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/workspace/billing'));
  });

  test('who has several accounts chooses one first, and theme and way back are kept', async () => {
    at('/c/login?redirectUrl=%2Fcatalog&theme=dark');
    signsIn({ userId: 7, login: 'ann@example.org', accountId: null, redirectUrl: null });
    show(<LoginPage />);
    await fill();
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/c/select-account?redirectUrl=%2Fcatalog&theme=dark'));
  });

  test('what is refused is said above the form', async () => {
    signsIn(refusal('account.invalid_credentials', 401, 'the e-mail or the password is wrong'), 401);
    show(<LoginPage />);
    await fill();
    expect(await screen.findByRole('alert')).toHaveTextContent('the e-mail or the password is wrong');
    expect(gone).not.toHaveBeenCalled();
  });
});

const waits = (seconds: number, then: () => Response) => {
  let attempts = 0;
  server.use(
    http.post('*/api/accountsadmin/c/authorization/login', () => {
      attempts += 1;
      const body = { ...refusal('accountsadmin.too_many_attempts', 429), args: { seconds: String(seconds) } };
      return attempts === 1 ? HttpResponse.json(body, { status: 429 }) : then();
    }),
  );
};

describe('too many attempts', () => {
  test('the form says how long to wait, keeps what was typed and goes on by itself', async () => {
    waits(1, () => HttpResponse.json({ userId: 7, login: 'ann@example.org', accountId: 1, redirectUrl: '/workspace' }));
    show(<LoginPage />);
    await fill();
    expect(await screen.findByText(/sent by itself in 1 second\b/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeDisabled();
    expect(screen.getByLabelText(/E-mail/)).toHaveValue('ann@example.org');
    expect(screen.getByLabelText(/^Password/)).toHaveValue('secret-word');
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/workspace'));
  });

  test('a long wait leaves it to the user', async () => {
    waits(900, () => HttpResponse.json({}));
    show(<LoginPage />);
    await fill();
    expect(await screen.findByText(/try again in 15 minutes/)).toBeInTheDocument();
    expect(screen.queryByRole('alert', { name: /refused/ })).not.toBeInTheDocument();
  });

  test('who corrects the password meanwhile sends the form when it is complete', async () => {
    waits(60, () => HttpResponse.json({}));
    show(<LoginPage />);
    await fill();
    expect(await screen.findByText(/sent by itself in/)).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText(/^Password/), 'x');
    expect(await screen.findByText(/You can try again in/)).toBeInTheDocument();
    expect(screen.queryByText(/sent by itself/)).not.toBeInTheDocument();
  });
});

test('signing up puts what is wrong on the fields that the server names', async () => {
  const body = {
    ...refusal('mlp.core.validation_error', 400),
    args: { login: 'is taken', accountName: 'is too short' },
  };
  server.use(http.post('*/api/accountsadmin/c/authorization/register', () => HttpResponse.json(body, { status: 400 })));
  show(<RegisterPage />);
  await userEvent.type(await screen.findByLabelText(/E-mail/), 'ann@example.org');
  await userEvent.type(screen.getByLabelText(/^Password/), 'secret-word');
  await userEvent.click(screen.getByRole('button', { name: 'Sign up' }));
  expect(await screen.findByText('is taken')).toBeInTheDocument();
  expect(screen.getByText('is too short')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

describe('choosing an account', () => {
  test('leads on; one that is not available cannot be chosen', async () => {
    person();
    let chosen: unknown;
    server.use(
      http.post('*/api/accountsadmin/c/authorization/select-account', async ({ request }) => {
        chosen = await request.json();
        return new HttpResponse(null);
      }),
    );
    show(<SelectAccountPage />);
    expect(await screen.findByRole('button', { name: 'closed' })).toBeDisabled();
    await userEvent.click(screen.getByRole('button', { name: 'acme' }));
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/'));
    expect(chosen).toEqual({ accountId: 1 });
  });

  test.each([
    ['Accept', 'accept'],
    ['Decline', 'decline'],
  ])('an invitation: %s', async (name, call) => {
    person();
    let answered: unknown;
    server.use(
      http.post('*/api/accountsadmin/c/account-invitation/:id/:call', ({ params }) => {
        answered = [params.id, params.call];
        return new HttpResponse(null);
      }),
    );
    show(<SelectAccountPage />);
    await userEvent.click(await screen.findByRole('button', { name }));
    await waitFor(() => expect(answered).toEqual(['3', call]));
  });

  test('whoever is not signed in signs in first', async () => {
    answers('/api/accountsadmin/c/users/current', refusal('mlp.gate.unauthorized', 401), 401);
    show(<SelectAccountPage />);
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/c/login'));
  });
});

describe('a forgotten password', () => {
  test('the answer tells nobody who has an account', async () => {
    server.use(http.post('*/api/accountsadmin/c/authorization/forgot-password', () => new HttpResponse(null)));
    show(<ForgotPasswordPage />);
    await userEvent.type(await screen.findByLabelText(/E-mail/), 'ann@example.org');
    await userEvent.click(screen.getByRole('button', { name: 'Send a link' }));
    expect(await screen.findByText(/^If there is an account/)).toBeInTheDocument();
  });

  test('without mail the page says whom to ask', async () => {
    answers('/api/accountsadmin/public/options', { domains: [], mailAvailable: false });
    show(<ForgotPasswordPage />);
    expect(await screen.findByText(/sends no mail/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Send a link' })).toBeDisabled();
  });

  test('the link of the mail is used once, and the address forgets it', async () => {
    at('/c/reset-password#token=t-1');
    let sent: unknown;
    server.use(
      http.post('*/api/accountsadmin/c/authorization/reset-password', async ({ request }) => {
        sent = await request.json();
        return new HttpResponse(null);
      }),
    );
    show(<ResetPasswordPage />);
    expect(window.location.hash).toBe('');
    await userEvent.type(await screen.findByLabelText(/New password/), 'a-new-secret');
    await userEvent.click(screen.getByRole('button', { name: 'A new password' }));
    expect(await screen.findByText(/all sessions are ended/)).toBeInTheDocument();
    expect(sent).toEqual({ token: 't-1', newPassword: 'a-new-secret' });
  });

  test('a link that is not complete changes nothing', async () => {
    at('/c/reset-password');
    show(<ResetPasswordPage />);
    expect(await screen.findByText(/not complete/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'A new password' })).toBeDisabled();
  });
});
