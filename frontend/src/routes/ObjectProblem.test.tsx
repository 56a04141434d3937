import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers, refusal, signedIn, signedOut } from '@/testing/server';

import { ServicePage } from './ServicePage';
import { ResourceGroupPage } from './workspace/ResourceGroupPage';

const MODEL = '/api/mlpcore/account/:account/model/:model';
const GROUP = '/api/mlpcore/account/:account/resource-groups/:name';

describe('an object that is missing', () => {
  test('is the 404 page, with the title and a way on', async () => {
    signedOut();
    answers(MODEL, refusal('mlp.gate.model_not_found', 404), 404);
    const { history } = show(<ServicePage />, {
      path: '/catalog/alice/nope',
      route: '/catalog/:account/:service/:tab?',
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'There is no alice/nope here' })).toBeInTheDocument();
    await waitFor(() => expect(document.title).toBe('There is no alice/nope here · MLPlace'));
    await userEvent.type(screen.getByRole('searchbox'), '{Enter}');
    expect(history.location.pathname + history.location.search).toBe('/catalog?search=nope');
  });

  test("looks the same if it is another account's", async () => {
    signedIn();
    answers(
      '/api/accountsadmin/c/users/7/allowed-accounts',
      [1, 2].map((id) => ({ id, name: `a${id}`, availableToSelect: true })),
    );
    answers(GROUP, refusal('account.access.denied', 403), 403);
    show(<ResourceGroupPage />, {
      path: '/workspace/resource-group/1000000099/gpu',
      route: '/workspace/resource-group/:owner/:name/:tab?',
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'There is no gpu here' })).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: 'Switch account' })).toBeInTheDocument();
    expect(screen.queryByText('this account is not yours to use')).not.toBeInTheDocument();
  });

  test('is not what a failure of the platform means', async () => {
    signedIn();
    answers(GROUP, refusal('mlp.core.internal', 500), 500);
    show(<ResourceGroupPage />, {
      path: '/workspace/resource-group/1000000099/gpu',
      route: '/workspace/resource-group/:owner/:name/:tab?',
    });
    expect(await screen.findByRole('button', { name: 'Try again' })).toBeInTheDocument();
    expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Resource groups' })).toHaveAttribute('href', '/workspace/resource-groups');
  });
});
