import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import type { SignedIn } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server } from '@/testing/server';

import { reasonOf, WelcomeBonus } from './WelcomeBonus';

const ACCOUNT = ANN.accountId ?? 0;
const HISTORY = `/api/mlpbilling/account/${ACCOUNT}/refill/history`;
const session = (accountOwner = true): SignedIn => ({
  state: 'signed-in', user: { ...ANN, accountOwner }, accountId: ACCOUNT, isSuperadmin: false, has: () => false,
});
const bonus = (status: number, body?: object) =>
  server.use(http.post(`*/api/mlpbilling/account/${ACCOUNT}/user/7/refill/welcome-bonus`, () => (body ? HttpResponse.json(body, { status }) : new HttpResponse(null, { status }))));
const refill = (userId: number) => ({ id: 1, createdAt: '2026-11-21T12:00:00Z', source: 'WELCOME_BONUS', currency: 'RUBLE', amountCurrency: 100, status: 'DONE', userId });

test.each([
  ['mlp.billing.welcome_bonus_taken', 'reason.taken'], ['mlp.billing.welcome_bonus_unconfirmed', 'reason.unconfirmed'],
  ['mlp.billing.welcome_bonus_address_limit', 'reason.address_limit'], ['mlp.core.unavailable', 'reason.other'],
])('%s: %s', (code, key) => expect(reasonOf({ code })).toBe(key));

describe('the welcome bonus', () => {
  test('says why it is not given', async () => {
    answers(HISTORY, []);
    bonus(403, refusal('mlp.billing.welcome_bonus_unconfirmed', 403));
    show(<WelcomeBonus session={session()} accountId={ACCOUNT} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Get the bonus' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Confirm your e-mail address first');
  });

  test('is not offered to who has had it', async () => {
    answers(HISTORY, [refill(8)]);
    bonus(200);
    show(<WelcomeBonus session={session()} accountId={ACCOUNT} />);
    const button = await screen.findByRole('button', { name: 'Get the bonus' });
    answers(HISTORY, [refill(8), refill(7)]);
    await userEvent.click(button);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Get the bonus' })).not.toBeInTheDocument());
  });

  test('is offered to owners only', () => {
    show(<WelcomeBonus session={session(false)} accountId={ACCOUNT} />);
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});
