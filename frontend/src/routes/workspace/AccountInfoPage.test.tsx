import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, signedIn } from '@/testing/server';

import { AccountInfoPage } from './AccountInfoPage';

const PATH = `/api/accountsadmin/account/${ANN.accountId}`;
const ROUTE = '/workspace/account-info/:tab?';

/** Pages of the private area render only after the user is known. */
function Known() {
  return useSession().state === 'signed-in' ? <AccountInfoPage /> : null;
}

function open(path: string) {
  signedIn({});
  answers(PATH, {
    accountId: ANN.accountId,
    shortName: 'ann',
    displayName: 'Ann',
    email: 'ann@example.org',
    language: 'EN',
    active: true,
  });
  answers(`/api/mlpcore/account/${ANN.accountId}`, { accountId: ANN.accountId, shortName: 'ann', timeZone: 'UTC' });
  answers(`${PATH}/member`, []);
  answers(`${PATH}/invitation`, []);
  answers('/api/accountsadmin/c/sessions', []);
  return show(<Known />, { path, route: ROUTE });
}

test('the address says which part of the account is shown', async () => {
  open('/workspace/account-info/security');
  expect(await screen.findByRole('tab', { name: 'Security', selected: true })).toBeInTheDocument();
  expect(await screen.findByRole('heading', { name: 'Password' })).toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: /Display name/ })).not.toBeInTheDocument();
});

test('without a part the first is shown, and each has its address', async () => {
  const { history } = open('/workspace/account-info');
  expect(await screen.findByRole('tab', { name: 'General', selected: true })).toHaveAttribute(
    'href',
    '/workspace/account-info',
  );
  await userEvent.click(screen.getByRole('tab', { name: 'Members' }));
  expect(history.location.pathname).toBe('/workspace/account-info/members');
  expect(await screen.findByRole('heading', { name: 'Members' })).toBeInTheDocument();
});

test('an unknown part is the first', async () => {
  open('/workspace/account-info/nonsense');
  expect(await screen.findByRole('tab', { name: 'General', selected: true })).toBeInTheDocument();
});
