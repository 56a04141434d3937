import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { createStore } from '@/app/store';
import { server } from '@/testing/server';

import { billingApi, coreApi } from '.';
import { PARAMETER_MISSING, VALIDATION_FAILED } from './problem';

const origin = window.location.origin;

test('a call without a required parameter is not sent and says which one', async () => {
  const accountId = undefined as unknown as number;
  const { error } = await createStore().dispatch(billingApi.endpoints.billingGetBalance.initiate({ accountId }));
  expect(error).toMatchObject({
    code: PARAMETER_MISSING,
    message: 'Required parameter accountId was null or undefined',
  });
});

test('a refusal arrives in the shape of all services', async () => {
  const body = { code: VALIDATION_FAILED, message: 'bad', status: 400, args: { name: 'too long' }, requestId: 'r' };
  server.use(http.get(`${origin}/api/mlpcore/models`, () => HttpResponse.json(body, { status: 400 })));
  const { error } = await createStore().dispatch(coreApi.endpoints.coreGetPublicModels.initiate({}));
  expect(error).toEqual(body);
});

test('a bare value is sent as JSON', async () => {
  let sent: unknown;
  server.use(
    http.post(`${origin}/api/mlpcore/account/acme/model/m/favorite`, async ({ request }) => {
      sent = [request.headers.get('content-type'), await request.text()];
      return new HttpResponse(null, { status: 200 });
    }),
  );
  await createStore().dispatch(coreApi.endpoints.coreSetFavorite.initiate({ account: 'acme', model: 'm', body: true }));
  expect(sent).toEqual(['application/json', 'true']);
});

test('parameters without a value are left out, and text is encoded once', async () => {
  let search = '';
  server.use(
    http.get(`${origin}/api/mlpcore/models`, ({ request }) => {
      search = new URL(request.url).search;
      return HttpResponse.json({ paging: {}, records: [] });
    }),
  );
  await createStore().dispatch(
    coreApi.endpoints.coreGetPublicModels.initiate({ modelField: 'a b&c', taskType: null, page: 0 }),
  );
  expect(search).toBe('?modelField=a+b%26c&page=0');
});
