import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { SaveScope } from '@/components/settings/SaveScope';
import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { TimeZone } from './TimeZone';

const ACCOUNT = { accountId: 9, shortName: 'acme', timeZone: 'Asia/Almaty' };

/** Pages of the private area render only after the user is known. */
function Known() {
  return useSession().state === 'signed-in' ? (
    <SaveScope>
      <TimeZone />
    </SaveScope>
  ) : null;
}

function open(permissions: string[] = ['MLP_DEVELOPER']) {
  signedIn({ accountId: 9, accountOwner: false, permissions });
  const sent: unknown[] = [];
  answers('/api/mlpcore/account/9', ACCOUNT);
  server.use(
    http.post(
      '*/api/mlpcore/account',
      async ({ request }) => (
        sent.push(await request.json()),
        HttpResponse.json({ ...ACCOUNT, timeZone: 'Europe/Berlin' })
      ),
    ),
  );
  show(<Known />);
  return sent;
}

test('another time zone is searched and saved, and nothing else of the account', async () => {
  const sent = open();
  const zone = await screen.findByRole('combobox', { name: /Time zone/ });
  expect(zone).toHaveValue('Asia/Almaty');
  await userEvent.clear(zone);
  await userEvent.type(zone, 'Berlin');
  await userEvent.click(await screen.findByRole('option', { name: 'Europe/Berlin', hidden: true }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual([{ accountId: 9, shortName: 'acme', timeZone: 'Europe/Berlin' }]));
});

test('who may not develop reads it only', async () => {
  open(['MLP_USER']);
  expect(await screen.findByRole('combobox', { name: /Time zone/ })).toHaveAttribute('readonly');
});

test('a refusal is said', async () => {
  open();
  answers('/api/mlpcore/account/9', refusal('mlp.core.unavailable', 503), 503);
  expect(await screen.findByRole('alert')).toBeInTheDocument();
});
