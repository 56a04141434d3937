import { http, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';

import { accountsApi, billingApi, coreApi } from '@/api';
import { ANN, refusal, server, signedIn } from '@/testing/server';

import { createStore } from './store';

type React = Parameters<typeof createStore>[0];
const DENIED = 'account.access.denied';

function refuse(path: string, code = DENIED): void {
  server.use(http.get(`*${path}`, () => HttpResponse.json(refusal(code, 403), { status: 403 })));
}

async function member(react: React) {
  signedIn();
  const store = createStore(react);
  await store.dispatch(accountsApi.endpoints.accountsGetSession.initiate());
  return store;
}

describe('a refusal of an account', () => {
  test('that is not the selected one leads nowhere: choosing an account again would be refused again', async () => {
    const react = vi.fn<NonNullable<React>>();
    const store = await member(react);
    refuse('/api/mlpcore/account/1000000099/resource-groups/gpu');
    await store.dispatch(coreApi.endpoints.coreGetResourceGroup.initiate({ account: '1000000099', groupName: 'gpu' }));
    expect(react).not.toHaveBeenCalled();
  });

  test('that is the selected one leads to the choice of an account', async () => {
    const react = vi.fn<NonNullable<React>>();
    const store = await member(react);
    refuse(`/api/mlpbilling/account/${ANN.accountId}/blocked`);
    await store.dispatch(billingApi.endpoints.billingGetBlocked.initiate({ accountId: ANN.accountId ?? 0 }));
    expect(react.mock.calls).toEqual([['select-account']]);
  });

  test('without a selected account always leads to the choice', async () => {
    const react = vi.fn<NonNullable<React>>();
    const store = await member(react);
    refuse('/api/mlpcore/account/1000000099/resource-groups/gpu', 'account.not_selected');
    await store.dispatch(coreApi.endpoints.coreGetResourceGroup.initiate({ account: '1000000099', groupName: 'gpu' }));
    expect(react.mock.calls).toEqual([['select-account']]);
  });
});
