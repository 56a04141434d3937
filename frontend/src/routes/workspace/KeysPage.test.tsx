import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { keyOf } from '@/testing/keys';
import { show } from '@/testing/render';
import { ANN, answers, signedIn } from '@/testing/server';

import { KeysPage } from './KeysPage';

const DAY_MS = 24 * 3_600_000;
const key = (number: number, days: number) =>
  keyOf(number, {
    expiresAt: new Date(Date.now() + days * DAY_MS).toISOString(),
    temporary: true,
    maxLifetime: 30,
    maxLifetimePeriod: 'DAY',
  });

function Page() {
  return useSession().state === 'signed-in' ? <KeysPage /> : null;
}

test('the notice of keys that expire soon opens each of them', async () => {
  signedIn();
  const none = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
  answers(`/api/mlpcore/account/${ANN.accountId}/model`, none);
  answers('/api/mlpcore/models', none);
  answers(`/api/mlpcore/account/${ANN.accountId}/token`, [key(1, 3), key(2, 6), key(3, 20)]);
  show(<Page />);
  const notice = await screen.findByRole('alert');
  expect(notice).toHaveTextContent('Keys that expire within a week: key 1, key 2');
  await userEvent.click(
    [...notice.querySelectorAll('button')].find(({ textContent }) => textContent === 'key 2') as HTMLElement,
  );
  expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveValue('key 2');
});
