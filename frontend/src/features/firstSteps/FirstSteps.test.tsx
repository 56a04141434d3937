import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';

import { billingApi } from '@/api';
import type { SignedIn } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import FirstSteps from './FirstSteps';
import { isOver } from './over';

const ACCOUNT = 5;
const SESSION: SignedIn = { state: 'signed-in', user: ANN, accountId: ACCOUNT, isSuperadmin: false, has: () => false };
const BONUS = `/api/mlpbilling/account/${ACCOUNT}/user/7/refill/welcome-bonus`;
const facts = (lastBySession: string | null, lastByKey: string | null, keys: object[]) => {
  answers(`/api/mlpbilling/account/${ACCOUNT}/call-origins`, { lastBySession, lastByKey });
  answers(`/api/mlpcore/account/${ACCOUNT}/token`, keys);
  answers(BONUS, { offered: false, amountCurrency: 0 });
};
const service = (modelId: number, name: string, state: string) => ({
  id: { accountId: 2, modelId },
  modelAccountName: 'acme',
  modelName: name,
  displayName: name,
  state,
  publicSettings: { publicTestingAllowed: true },
});
const NOW = '2026-11-23T10:00:00Z';
const ticked = async () =>
  (await screen.findAllByRole('listitem')).map((item) => within(item).queryByText('done:') !== null);

describe('the first steps', () => {
  beforeEach(() => {
    signedIn();
    answers('/api/mlpcore/models', {
      paging: { totalElements: 1, totalPages: 1, pageNumber: 0, pageSize: 1 },
      records: [service(1, 'asleep', 'SLEEPING'), service(2, 'ner', 'RUNNING')],
    });
  });

  test.each([
    [null, null, [], [false, false, false]],
    [NOW, null, [], [true, false, false]],
    [null, null, [{ name: 'k' }], [false, true, false]],
    [NOW, NOW, [], [true, false, true]],
  ])('are ticked by what was recorded: %s, %s, %j', async (bySession, byKey, keys, expected) => {
    facts(bySession, byKey, keys);
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    expect(await ticked()).toEqual(expected);
    expect(isOver(localStorage, ACCOUNT)).toBe(false);
  });

  test('lead to a service, to a new key and back, and to the snippet', async () => {
    facts(null, null, []);
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
      { path: '/workspace' },
    );
    await waitFor(() =>
      expect(screen.getByRole('link', { name: 'Try a service in the browser' })).toHaveAttribute(
        'href',
        '/catalog/acme/ner',
      ),
    );
    expect(screen.getByRole('link', { name: 'Create an API key' })).toHaveAttribute(
      'href',
      '/workspace/api-keys?new&back=%2Fworkspace',
    );
    expect(screen.getByRole('link', { name: 'Call a service from your shell' })).toHaveAttribute(
      'href',
      '/catalog/acme/ner/api',
    );
  });

  test('begin with the welcome bonus, by its amount, until it is taken', async () => {
    facts(null, null, []);
    answers(BONUS, { offered: true, amountCurrency: 100 });
    server.use(
      http.post(`*${BONUS}`, () => {
        answers(BONUS, { offered: false, amountCurrency: 0 });
        return new HttpResponse(null, { status: 200 });
      }),
    );
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    await userEvent.click(await screen.findByRole('button', { name: /welcome bonus of .*100/ }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /bonus/ })).not.toBeInTheDocument());
    expect(screen.getByRole('region')).toBeInTheDocument();
  });

  test('stay hidden for this account, not for another', async () => {
    facts(null, null, []);
    const { unmount } = show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Hide' }));
    expect(screen.queryByRole('region')).not.toBeInTheDocument();
    unmount();
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    expect(screen.queryByRole('region')).not.toBeInTheDocument();
    expect(isOver(localStorage, 6)).toBe(false);
  });

  test('stay for the last tick, and are not asked for again', async () => {
    facts(NOW, null, [{ name: 'k' }]);
    const { store } = show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    expect(await ticked()).toEqual([true, true, false]);
    facts(NOW, NOW, [{ name: 'k' }]);
    await store.dispatch(
      billingApi.endpoints.billingGetCallOrigins.initiate({ accountId: ACCOUNT }, { forceRefetch: true }),
    );
    await waitFor(async () => expect(await ticked()).toEqual([true, true, true]));
    expect(isOver(localStorage, ACCOUNT)).toBe(true);
  });

  test('are not shown to an account that had done them', async () => {
    facts(NOW, NOW, [{ name: 'k' }]);
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    await waitFor(() => expect(isOver(localStorage, ACCOUNT)).toBe(true));
    expect(screen.queryByRole('region')).not.toBeInTheDocument();
  });

  test('hold back what stands below them until all is known', async () => {
    facts(null, null, []);
    const gate: { open?: () => void } = {};
    const asked = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    server.use(
      http.get(`*${BONUS}`, async () => (await asked, HttpResponse.json({ offered: true, amountCurrency: 100 }))),
    );
    show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    expect(await screen.findByText('waiting')).toBeInTheDocument();
    expect(screen.queryByText('below')).not.toBeInTheDocument();
    gate.open?.();
    expect(await screen.findByText('below')).toBeInTheDocument();
    expect(screen.getByRole('region')).toBeInTheDocument();
    expect(screen.queryByText('waiting')).not.toBeInTheDocument();
  });

  test('stay while the platform fails to tell of them again', async () => {
    facts(null, null, []);
    const { store } = show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    expect(await ticked()).toEqual([false, false, false]);
    answers(`/api/mlpbilling/account/${ACCOUNT}/call-origins`, refusal('mlp.core.internal', 500), 500);
    await store.dispatch(
      billingApi.endpoints.billingGetCallOrigins.initiate({ accountId: ACCOUNT }, { forceRefetch: true }),
    );
    expect(screen.getByRole('region')).toBeInTheDocument();
  });

  test('are left out if the platform cannot tell', async () => {
    facts(null, null, []);
    answers(`/api/mlpbilling/account/${ACCOUNT}/call-origins`, refusal('mlp.core.internal', 500), 500);
    const { container } = show(
      <FirstSteps session={SESSION} accountId={ACCOUNT} waiting={<p aria-busy>waiting</p>}>
        below
      </FirstSteps>,
    );
    await waitFor(() => expect(container.querySelector('[aria-busy]')).toBeNull());
    expect(screen.queryByRole('region')).not.toBeInTheDocument();
  });
});
