import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { ANN, answers, refusal, signedIn } from '@/testing/server';

import { RecentSpending } from './RecentSpending';

const ACCOUNT = ANN.accountId ?? 0;
const STATEMENT = {
  direction: 'SPENDING',
  split: 'SERVICE',
  first: '2026-11-01',
  last: '2026-11-02',
  timeZone: 'UTC',
  currency: 'RUBLE',
  total: '12.5',
  items: [],
  days: [{ day: '2026-11-01', item: 0, callsCount: 1, amount: '12.5' }],
  balanceChange: { opening: '0', calls: '0', hosting: '0', refills: '0', bonuses: '0', fromIncome: '0', closing: '0' },
};

test('shows the sum, the days and the way to the statement', async () => {
  signedIn();
  answers(`/api/mlpbilling/account/${ACCOUNT}/statement`, STATEMENT);
  const { container } = show(<RecentSpending accountId={ACCOUNT} />);
  expect(await screen.findByText('12.50 ₽')).toBeInTheDocument();
  expect(screen.getByRole('img', { name: 'Spending by day in the last 30 days' })).toBeInTheDocument();
  expect(container.querySelectorAll('svg g')).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'Statement' })).toHaveAttribute('href', '/workspace/billing');
});

test('is absent where calls are free, and where the sum cannot be read', async () => {
  signedIn({}, { isBillingEnabled: false });
  const free = show(<RecentSpending accountId={ACCOUNT} />);
  await waitFor(() => expect(JSON.stringify(free.store.getState())).toContain('"isBillingEnabled":false'));
  expect(screen.queryByRole('link')).not.toBeInTheDocument();
  free.unmount();
  signedIn();
  answers(`/api/mlpbilling/account/${ACCOUNT}/statement`, refusal('mlp.core.unavailable', 503), 503);
  const refused = show(<RecentSpending accountId={ACCOUNT} />);
  await waitFor(() => expect(JSON.stringify(refused.store.getState())).toContain('mlp.core.unavailable'));
  await waitFor(() => expect(screen.queryByRole('link')).not.toBeInTheDocument());
});
