import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { browser } from '@/lib/browser';
import { type SignedIn } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, refusal, server, signedIn } from '@/testing/server';

import RefillModal, { amountFault } from './RefillModal';

const ACCOUNT = ANN.accountId ?? 0;
const session = (...features: string[]): SignedIn => ({
  state: 'signed-in',
  user: ANN,
  accountId: ACCOUNT,
  isSuperadmin: false,
  has: (feature) => features.includes(feature),
});
const card = `*/api/mlpbilling/account/${ACCOUNT}/user/7/refill/card/dynamic`;
const income = `*/api/mlpbilling/account/${ACCOUNT}/user/7/refill/income`;

const gone = vi.spyOn(browser, 'go').mockImplementation(() => undefined);
afterEach(() => gone.mockClear());

test.each([
  ['card', '', 'Input:Required'],
  ['card', 0.99, 'BalanceRefillModal:AmountCurrencyMessage'],
  ['card', 1, null],
  ['card', 'x', 'Input:Required'],
  ['income', 0.5, null],
  ['income', '', 'Input:Required'],
] as const)('%s of %s: %s', (method, amount, fault) => {
  expect(amountFault(method, amount)).toBe(fault);
});

describe('by card', () => {
  test('sends the amount floored to hundredths and goes on to the payment page', async () => {
    signedIn();
    let sent: unknown;
    server.use(
      http.post(card, async ({ request }) => {
        sent = await request.json();
        return HttpResponse.json({ paymentUrl: '/pay/1' });
      }),
    );
    show(<RefillModal session={session()} accountId={ACCOUNT} onClose={() => undefined} />, {
      path: '/catalog/acme/ner?tab=x&modal=refill',
    });
    await userEvent.type(await screen.findByLabelText(/Amount/), '12.349');
    await userEvent.click(screen.getByRole('button', { name: 'Go on to payment' }));
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/pay/1'));
    expect(sent).toEqual({
      accountId: ACCOUNT,
      amountCurrency: 12.34,
      redirectUrl: `${window.location.origin}/catalog/acme/ner?tab=x`,
    });
  });

  test('less than one is not sent', async () => {
    signedIn();
    show(<RefillModal session={session()} accountId={ACCOUNT} onClose={() => undefined} />, {
      path: '/catalog/acme/ner?tab=x&modal=refill',
    });
    await userEvent.type(await screen.findByLabelText(/Amount/), '0.5');
    await userEvent.click(screen.getByRole('button', { name: 'Go on to payment' }));
    expect(await screen.findByText('At least 1')).toBeInTheDocument();
    expect(gone).not.toHaveBeenCalled();
  });

  test.each([
    ['amountCurrency: is too much', 'is too much', true],
    ['it is late', 'it is late', false],
  ])('"%s" is shown where it belongs', async (message, text, onField) => {
    signedIn();
    server.use(http.post(card, () => HttpResponse.json(refusal('x', 409, message), { status: 409 })));
    show(<RefillModal session={session()} accountId={ACCOUNT} onClose={() => undefined} />, {
      path: '/catalog/acme/ner?tab=x&modal=refill',
    });
    await userEvent.type(await screen.findByLabelText(/Amount/), '5');
    await userEvent.click(screen.getByRole('button', { name: 'Go on to payment' }));
    expect(await screen.findByText(text)).toBeInTheDocument();
    expect(screen.queryByRole('alert') === null).toBe(onField);
  });
});

describe('from income', () => {
  test('is offered to owners of public services only', async () => {
    signedIn();
    show(<RefillModal session={session()} accountId={ACCOUNT} onClose={() => undefined} />, {
      path: '/catalog/acme/ner?tab=x&modal=refill',
    });
    await screen.findByLabelText(/Amount/);
    expect(screen.queryByText('From income')).not.toBeInTheDocument();
  });

  test('moves it and closes', async () => {
    signedIn();
    let sent: unknown;
    server.use(
      http.post(income, async ({ request }) => {
        sent = await request.json();
        return HttpResponse.json({});
      }),
    );
    const close = vi.fn<() => void>();
    show(<RefillModal session={session('mlp.public_model_admin')} accountId={ACCOUNT} onClose={close} />);
    await userEvent.click(await screen.findByText('From income'));
    await userEvent.type(screen.getByLabelText(/Amount/), '0.559');
    await userEvent.click(screen.getByRole('button', { name: 'Refill' }));
    await waitFor(() => expect(close).toHaveBeenCalled());
    expect(sent).toEqual({ accountId: ACCOUNT, amountCurrency: 0.55 });
  });
});

test('where a manager refills, one writes to the manager', async () => {
  signedIn({}, { refillByManager: true, managerMail: 'manager@example.org' });
  show(<RefillModal session={session()} accountId={ACCOUNT} onClose={() => undefined} />, {
    path: '/catalog/acme/ner?tab=x&modal=refill',
  });
  expect(await screen.findByRole('link', { name: 'manager@example.org' })).toHaveAttribute(
    'href',
    'mailto:manager@example.org',
  );
  expect(screen.queryByLabelText(/Amount/)).not.toBeInTheDocument();
});
