import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';

import { balanceBanner } from '@/features/billing/balances';
import { ANN, answers, signedIn, signedOut } from '@/testing/server';
import { show } from '@/testing/render';

import { Header } from './Header';

describe('signed out', () => {
  test('shows the catalogue and the way in, and comes back to where one was', async () => {
    signedOut();
    show(<Header onSearch={() => undefined} />, { path: '/catalog' });
    expect(await screen.findByRole('link', { name: 'Sign in' })).toHaveAttribute(
      'href',
      '/c/login?redirectUrl=%2Fcatalog',
    );
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

  test('a balance that is wider than the header of a phone is short there, and exact to screen readers', async () => {
    signedIn();
    answers(`/api/mlpbilling/account/${ANN.accountId}/balance/short`, {
      overallBalanceCurrency: 1_234_500_000,
      incomeBalanceCurrency: 0,
      jaicpTariffBalanceCurrency: null,
      nextRefillCurrency: null,
      nextRefillDate: null,
    });
    vi.spyOn(window, 'matchMedia').mockImplementation(
      (media) =>
        ({
          matches: media.includes('max-width'),
          media,
          addEventListener: () => undefined,
          removeEventListener: () => undefined,
        }) as unknown as MediaQueryList,
    );
    show(<Header onSearch={() => undefined} />);
    const balance = await screen.findByTestId('balance');
    expect(balance.textContent.length).toBeLessThan(10);
    expect(balance).toHaveAccessibleName(/1\s234\s500\s000\.00/);
    vi.restoreAllMocks();
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
    expect(await screen.findByRole('link', { name: 'Account: acme' })).toHaveAttribute(
      'href',
      '/c/select-account?redirectUrl=%2F',
    );
  });

  test('an installation that speaks English only offers no other language', async () => {
    signedIn({}, { englishOnly: true });
    show(<Header onSearch={() => undefined} />);
    await screen.findByTestId('balance');
    expect(screen.queryByRole('button', { name: 'Русский' })).not.toBeInTheDocument();
  });
});

test.each([
  [{ blocked: true, balance: -5, mayOwe: true }, 'blocked'],
  [{ blocked: false, balance: -0.01, mayOwe: false }, 'below-zero'],
  [{ blocked: false, balance: -5, mayOwe: true }, null],
  [{ blocked: false, balance: 0, mayOwe: false }, null],
])('%o shows %s', (facts, banner) => {
  expect(balanceBanner(facts)).toBe(banner);
});
