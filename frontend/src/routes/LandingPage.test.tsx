import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { BrandContext, STANDARD } from '@/lib/brand';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, SETTINGS, signedOut } from '@/testing/server';

import { LandingPage } from './LandingPage';

const NOTHING = {
  callStatistics: null,
  measuredStartTimeSec: null,
  trainingModelId: null,
  trainingModelName: null,
  trainingDatasetId: null,
  fittable: false,
};
const NER = modelOf({
  ...NOTHING,
  modelName: 'ner-ru',
  displayName: 'Named entities',
  taskType: 'ner',
  state: 'RUNNING',
});
const TRY = '/api/mlpgateway/account/acme/model/ner-ru/try';

const listed = (...records: unknown[]) =>
  answers('/api/mlpcore/models', { paging: { totalElements: records.length, totalPages: 1 }, records } as never);

beforeEach(() => {
  signedOut();
  listed(NER);
  answers('/api/mlpcore/account/acme/model/ner-ru/example', []);
  answers(
    '/api/mlpcore/account/acme/model/ner-ru/service-descriptor',
    refusal('mlp.core.document_not_found', 404),
    404,
  );
});

test('a visitor calls a service without signing in, and gets a command that does the same', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(`*${TRY}`, async ({ request }) => {
      sent.push([request.headers.get('MLP-API-KEY'), await request.json()]);
      return HttpResponse.json({ entities_list: [{ entities: [] }] });
    }),
  );
  show(<LandingPage />);
  const input = await screen.findByLabelText('Text');
  await userEvent.clear(input);
  await userEvent.type(input, 'Anna went to Kazan');
  expect(screen.getByLabelText('The same call from a terminal')).toHaveTextContent(
    `${TRY}' \\ -H 'Content-Type: application/json' \\ -d '{"texts":["Anna went to Kazan"]}'`,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Call it' }));
  expect(await screen.findByText(/^Answered in/)).toBeVisible();
  expect(sent).toEqual([[null, { texts: ['Anna went to Kazan'] }]]);
});

test('a visitor whose calls are used up learns what to do', async () => {
  server.use(
    http.post(`*${TRY}`, () =>
      HttpResponse.json(refusal('mlp.gate.visitor_limit_exceeded', 429) as never, { status: 429 }),
    ),
  );
  show(<LandingPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Call it' }));
  expect(await screen.findByText('Free calls without signing in are used up')).toBeVisible();
});

test('without a running service that is open to visitors there is no example', async () => {
  listed({ ...NER, state: 'INACTIVE' });
  show(<LandingPage />);
  expect(await screen.findByText('For callers')).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Try it now' })).toBeNull();
});

test('popular services are part of the extended page alone', async () => {
  answers('/api/mlpcore/system-config/frontend-settings', { ...SETTINGS, isExtendedLanding: true });
  show(<LandingPage />);
  expect(await screen.findByRole('region', { name: 'Popular services' })).toHaveTextContent('Named entities');
});

test('a host has its own heading, text and picture', async () => {
  const landing = { title: { en: 'Our cloud' }, text: { en: 'Beside your data' }, picture: '/options/cloud.svg' };
  const { container } = show(
    <BrandContext value={{ ...STANDARD, landing }}>
      <LandingPage />
    </BrandContext>,
  );
  expect(await screen.findByRole('heading', { level: 1, name: 'Our cloud' })).toBeVisible();
  expect(screen.getByText('Beside your data')).toBeVisible();
  expect(container.querySelector('img')).toHaveAttribute('src', '/options/cloud.svg');
});
