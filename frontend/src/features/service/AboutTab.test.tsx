import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedOut } from '@/testing/server';

import { AboutTab } from './AboutTab';

beforeEach(() => {
  signedOut();
  answers('/api/mlpcore/system-config/task-types', []);
  server.use(
    http.get('*/api/mlpcore/account/acme/model/counter/simple-doc', () => HttpResponse.text('Send ``text``.')),
  );
});

const MODEL = {
  priorityQueue: { enabled: true, concurrencyLevel: 4 },
  timeouts: { predictTimeoutSec: 30, podStartTimeoutSec: 120 },
};
const BILLING = {
  isBillingEnabled: true,
  billingUnit: 'calls' as const,
  billingUnitPriceInCurrency: 0.25,
  freeUnitQuota: 100,
  currency: 'RUBLE' as const,
  maxPriceInCurrency: null,
};

test('the description is Markdown, beside limits that callers should know', async () => {
  const { container } = show(<AboutTab account="acme" model={modelOf(MODEL)} />);
  expect(await screen.findByText('text', { selector: 'code' })).toBeInTheDocument();
  expect(container).toHaveTextContent('Requests at a time4');
  expect(container).toHaveTextContent('Time limit of a start2');
});

test('the calculator follows the prices of the API', async () => {
  show(<AboutTab account="acme" model={modelOf({ ...MODEL, billingSettings: BILLING })} />);
  expect(await screen.findByTestId('estimate')).toHaveTextContent('A month costs 225.00 ₽');
  expect(screen.getByText('100 units a month are free for each account')).toBeInTheDocument();
  const calls = screen.getByRole('textbox', { name: 'Calls a month' });
  await userEvent.clear(calls);
  await userEvent.type(calls, '500');
  expect(screen.getByTestId('estimate')).toHaveTextContent('100.00 ₽');
});

test('a service that counts units asks how many, and names its bound', async () => {
  show(
    <AboutTab
      account="acme"
      model={modelOf({
        ...MODEL,
        billingSettings: { ...BILLING, billingUnit: 'custom', freeUnitQuota: 0, maxPriceInCurrency: 1 },
      })}
    />,
  );
  await userEvent.type(await screen.findByRole('textbox', { name: 'Units per call' }), '0');
  expect(screen.getByTestId('estimate')).toHaveTextContent(/at most 1.000\.00.₽/);
});

test('a free service has no calculator', async () => {
  show(
    <AboutTab account="acme" model={modelOf({ ...MODEL, billingSettings: { ...BILLING, isBillingEnabled: false } })} />,
  );
  expect(await screen.findByText('text', { selector: 'code' })).toBeInTheDocument();
  expect(screen.queryByTestId('estimate')).not.toBeInTheDocument();
});
