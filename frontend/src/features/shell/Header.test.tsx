import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';

import { balanceBanner } from '@/features/billing/balances';
import { answers, signedIn, signedOut } from '@/testing/server';
import { show } from '@/testing/render';


import { Header } from './Header';

describe('signed out', () => {
  test('shows the catalogue and the way in, and comes back to where one was', async () => {
    signedOut();
    show(<Header onSearch={() => undefined} />, { path: '/catalog' });
    expect(await screen.findByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/c/login?redirectUrl=%2Fcatalog');
    expect(screen.getByRole('link', { name: 'Catalogue' })).toHaveAttribute('aria-current', 'page');
    expect(screen.queryByRole('link', { name: 'My space' })).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'MLPlace: home' })).toHaveAttribute('href', '/');
  });
});

describe('signed in', () => {
  test('shows the own space and the balance, floored to hundredths', async () => {
    signedIn();
    show(<Header onSearch={() => undefined} />);
    expect(await screen.findByRole('link', { name: 'My space' })).toBeInTheDocument();
    expect(await screen.findByTestId('balance')).toHaveTextContent('12.34 ₽');
    expect(screen.getByRole('link', { name: 'MLPlace: home' })).toHaveAttribute('href', '/landing');
  });

  test('a superadmin has neither', async () => {
    signedIn({ permissions: ['accounts_admin_write'] });
    show(<Header onSearch={() => undefined} />);
    expect(await screen.findByRole('button', { name: 'Menu' })).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'My space' })).not.toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Catalogue' })).not.toBeInTheDocument();
  });

  test('without billing there is no balance', async () => {
    signedIn({}, { isBillingEnabled: false });
    show(<Header onSearch={() => undefined} />);
    await screen.findByRole('link', { name: 'My space' });
    expect(screen.queryByTestId('balance')).not.toBeInTheDocument();
  });

  test('who has one account has nothing to switch', async () => {
    signedIn();
    show(<Header onSearch={() => undefined} />);
    await screen.findByTestId('balance');
    expect(screen.queryByRole('link', { name: /^Account:/ })).not.toBeInTheDocument();
  });

  test('who has two accounts sees the current one', async () => {
    signedIn();
    answers('/api/accountsadmin/c/users/7/allowed-accounts', [
      { id: 1_000_000_001, name: 'acme', availableToSelect: true },
      { id: 1_000_000_002, name: 'other', availableToSelect: true },
    ]);
    show(<Header onSearch={() => undefined} />);
    expect(await screen.findByRole('link', { name: 'Account: acme' })).toHaveAttribute('href', '/c/select-account?redirectUrl=%2F');
  });

  test('an installation that speaks English only offers no other language', async () => {
    signedIn({}, { englishOnly: true });
    show(<Header onSearch={() => undefined} />);
    await screen.findByTestId('balance');
    expect(screen.queryByRole('button', { name: 'Русский' })).not.toBeInTheDocument();
  });
});

test.each([
  [{ blocked: true, balance: -5, mayOwe: true }, 'blocked'], [{ blocked: false, balance: -0.01, mayOwe: false }, 'below-zero'],
  [{ blocked: false, balance: -5, mayOwe: true }, null], [{ blocked: false, balance: 0, mayOwe: false }, null],
])('%o shows %s', (facts, banner) => {
  expect(balanceBanner(facts)).toBe(banner);
});
