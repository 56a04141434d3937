import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';

import { show } from '@/testing/render';
import { ANN, answers, signedIn, signedOut } from '@/testing/server';

import { CallProblem, remedyOf } from './CallProblem';

const problem = (code: string, status = 403, args: Record<string, string> = {}) => ({
  code,
  status,
  args,
  message: 'no',
  requestId: null,
});

beforeEach(signedOut);

test.each([
  [problem('mlp.gate.access_denied', 403, { feature: 'mlp.test_form' }), 'feature'],
  [problem('mlp.gate.access_denied'), null],
  [problem('something.new', 402), 'refill'],
  [problem('mlp.gate.no_active_instances', 503), 'start'],
  [problem('mlp.gate.model_not_found', 404), null],
  [problem('mlp.gate.price_above_cap', 402), 'cap'],
  [problem('mlp.gate.share_exceeded', 429), 'wait'],
  [problem('mlp.gate.storage_limit_exceeded', 413), 'room'],
])('%o is helped by %s', (given, remedy) => {
  expect(remedyOf(given)).toBe(remedy);
});

test('a feature that is missing is named', async () => {
  show(<CallProblem problem={problem('mlp.gate.access_denied', 403, { feature: 'mlp.test_form' })} />);
  expect(await screen.findByText(/mlp\.test_form/, { selector: 'p' })).toBeInTheDocument();
});

test('without money there is a way to the balance', async () => {
  show(<CallProblem problem={problem('x', 402)} />);
  expect(await screen.findByRole('link', { name: 'Refill the balance' })).toHaveAttribute('href', '/?modal=refill');
});

test('without money the welcome bonus is offered, with its amount', async () => {
  signedIn();
  answers(`/api/mlpbilling/account/${ANN.accountId}/user/7/refill/welcome-bonus`, {
    offered: true,
    amountCurrency: 100,
  });
  show(<CallProblem problem={problem('mlp.billing.insufficient_funds', 402)} />);
  expect(await screen.findByText(/welcome bonus of .*100/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Get the bonus' })).toBeInTheDocument();
});

test('without room there is a way to what the account stores', async () => {
  show(<CallProblem problem={problem('mlp.gate.storage_limit_exceeded', 413)} />);
  expect(await screen.findByRole('link')).toHaveAttribute('href', '/workspace/account-info/storage');
});
