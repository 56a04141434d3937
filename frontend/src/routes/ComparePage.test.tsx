import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn, signedOut } from '@/testing/server';

import ComparePage from './ComparePage';

const statistics = (medianLatencyMs: number, successRate: number) => ({
  days: 30,
  medianLatencyMs,
  successRate,
  calls: 1,
  failedCalls: 0,
});
const NOTHING = { measuredStartTimeSec: null, fittable: false };

function service(number: number, name: string, part: object = {}) {
  const model = modelOf({
    ...NOTHING,
    id: { accountId: 9, modelId: number },
    modelName: name,
    displayName: name.toUpperCase(),
    taskType: 'ner',
    ...part,
  });
  answers(`/api/mlpcore/account/acme/model/${name}`, model as never);
  answers(`/api/mlpcore/account/acme/model/${name}/example`, []);
  answers(
    `/api/mlpcore/account/acme/model/${name}/service-descriptor`,
    refusal('mlp.core.document_not_found', 404),
    404,
  );
}

function answering(
  name: string,
  call: string,
  body: object,
  headers: Record<string, string> = {},
  status = 200,
): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.post(`*/api/mlpgateway/account/9/model/${name}/${call}`, async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(body as never, { status, headers });
    }),
  );
  return sent;
}

const page = (names: string) => show(<ComparePage />, { path: `/catalog/compare?compare=${names}` });
const row = async (name: string) => (await screen.findByRole('rowheader', { name })).closest('tr') as HTMLElement;

beforeEach(() => {
  signedIn();
  answers('/api/mlpcore/system-config/task-types', []);
  service(1, 'fast', { state: 'RUNNING', callStatistics: statistics(100, 0.95) });
  service(2, 'good', {
    state: 'INACTIVE',
    startTimeSec: 40,
    callStatistics: statistics(900, 1),
    billingSettings: { ...modelOf().billingSettings, billingUnitPriceInCurrency: 0.1 },
  });
});

test('services stand side by side, the best of each row is marked', async () => {
  page('acme/fast,acme/good');
  expect(await row('Median latency')).toHaveTextContent(/100\sms.*best.*900\sms$/);
  expect(await row('Successful calls')).toHaveTextContent('95%100%best');
  expect(await row('Price')).toHaveTextContent(/0\.25 ₽ per call0\.10 ₽ per callbest/);
  expect(await row('State')).toHaveTextContent(/Answers at oncebestStarts in about 40\ss/);
});

test('the same request goes to each, and each answer has its time and cost', async () => {
  const sent = [
    answering('fast', 'predict', { entities_list: [{ entities: [] }] }, { 'MLP-Cost': '0.25' }),
    answering('good', 'predict', refusal('mlp.gate.no_instance', 503), {}, 503),
  ];
  page('acme/fast,acme/good');
  const input = await screen.findByLabelText('Request');
  await userEvent.clear(input);
  await userEvent.type(input, 'Anna');
  expect(screen.getByText('Each service charges its usual price.')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Send to 2 services' }));
  expect(await within(await row('Answer')).findByRole('alert')).toBeVisible();
  expect(await row('Cost of the call')).toHaveTextContent(/0\.25\s₽.*–$/);
  expect(sent).toEqual([[{ texts: ['Anna'] }], [{ texts: ['Anna'] }]]);
});

test('a service that the comparison woke is shown as running afterwards', async () => {
  answering('fast', 'predict', { entities_list: [] });
  server.use(
    http.post('*/api/mlpgateway/account/9/model/good/predict', () => {
      service(2, 'good', { state: 'RUNNING' });
      return HttpResponse.json({ entities_list: [] });
    }),
  );
  page('acme/fast,acme/good');
  expect(await row('State')).toHaveTextContent(/Starts in about 40\ss/);
  await userEvent.click(await screen.findByRole('button', { name: 'Send to 2 services' }));
  await waitFor(async () => expect(await row('State')).not.toHaveTextContent(/Starts in about/));
});

test('a visitor calls those that are open to visitors, without a charge', async () => {
  signedOut();
  service(1, 'fast', {
    state: 'RUNNING',
    publicSettings: { isPublic: true, publicTestingAllowed: true, visitorCallsPerDay: 20 },
  });
  const sent = answering('fast', 'try', { entities_list: [] });
  page('acme/fast,acme/good');
  await userEvent.click(await screen.findByRole('button', { name: 'Send to 1 service' }));
  expect(screen.getByText('These calls are free.')).toBeVisible();
  expect(await row('Answer')).toBeVisible();
  expect(sent).toHaveLength(1);
});

test('a service that is gone says so in its column, and can be removed', async () => {
  answers('/api/mlpcore/account/acme/model/gone', refusal('mlp.core.model_not_found', 404), 404);
  const { history } = page('acme/fast,acme/gone');
  expect(await screen.findByRole('alert')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Remove acme/gone' }));
  expect(history.location.search).toBe('?compare=acme%2Ffast');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('without services the page says what to do', async () => {
  page('');
  expect(await screen.findByText('Nothing to compare yet')).toBeVisible();
});

test('when none can be read, one error says so and reads all again', async () => {
  answers('/api/mlpcore/account/acme/model/fast', refusal('mlp.core.unavailable', 503), 503);
  answers('/api/mlpcore/account/acme/model/good', refusal('mlp.core.unavailable', 503), 503);
  page('acme/fast,acme/good');
  expect(await screen.findAllByRole('alert')).toHaveLength(1);
  expect(screen.queryByRole('table')).toBeNull();
  service(1, 'fast', {});
  service(2, 'good', {});
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findAllByRole('columnheader')).toHaveLength(2);
});
