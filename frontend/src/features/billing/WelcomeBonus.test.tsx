import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import type { SignedIn } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { reasonOf } from './useWelcomeBonus';
import { WelcomeBonus } from './WelcomeBonus';

const ACCOUNT = ANN.accountId ?? 0;
const OFFER = `/api/mlpbilling/account/${ACCOUNT}/user/7/refill/welcome-bonus`;
const offer = (offered: boolean) => answers(OFFER, { offered, amountCurrency: offered ? 100 : 0 });
const session = (accountOwner = true): SignedIn => ({
  state: 'signed-in',
  user: { ...ANN, accountOwner },
  accountId: ACCOUNT,
  isSuperadmin: false,
  has: () => false,
});
const bonus = (status: number, body?: object) =>
  server.use(
    http.post(`*/api/mlpbilling/account/${ACCOUNT}/user/7/refill/welcome-bonus`, () =>
      body ? HttpResponse.json(body, { status }) : new HttpResponse(null, { status }),
    ),
  );

test.each([
  ['mlp.billing.welcome_bonus_taken', 'reason.taken'],
  ['mlp.billing.welcome_bonus_unconfirmed', 'reason.unconfirmed'],
  ['mlp.billing.welcome_bonus_address_limit', 'reason.address_limit'],
  ['mlp.core.unavailable', 'reason.other'],
])('%s: %s', (code, key) => expect(reasonOf({ code })).toBe(key));

describe('the welcome bonus', () => {
  beforeEach(() => signedIn());

  test('says why it is not given', async () => {
    offer(true);
    bonus(403, refusal('mlp.billing.welcome_bonus_unconfirmed', 403));
    show(<WelcomeBonus session={session()} accountId={ACCOUNT} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Get the bonus' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Confirm your e-mail address first');
  });

  test('is not offered to who has had it', async () => {
    offer(true);
    bonus(200);
    show(<WelcomeBonus session={session()} accountId={ACCOUNT} />);
    const button = await screen.findByRole('button', { name: 'Get the bonus' });
    offer(false);
    await userEvent.click(button);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Get the bonus' })).not.toBeInTheDocument());
  });

  test('is not offered where none is given', async () => {
    offer(false);
    const { store } = show(<WelcomeBonus session={session()} accountId={ACCOUNT} />);
    await waitFor(() =>
      expect(store.getState().api.queries).toSatisfy((queries: object) =>
        Object.values(queries).some((query: { status: string }) => query.status === 'fulfilled'),
      ),
    );
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  test('is offered to owners only', () => {
    show(<WelcomeBonus session={session(false)} accountId={ACCOUNT} />);
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});
