import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { coreApi } from '@/api';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { useRun } from './useRun';

const BASE = '/api/mlpcore/account/acme/model/counter';
const WHERE = { account: 'acme', model: 'counter' };

/** The head of a service's page beside its playground. */
function Page() {
  const { data } = coreApi.useCoreGetModelInfoQuery(WHERE);
  const { data: status } = coreApi.useCoreGetModelStatusQuery(WHERE);
  const run = useRun(WHERE.account, WHERE.model);
  return (
    <>
      <p>model {data?.state}</p>
      <p>instances {status?.state}</p>
      <button type="button" onClick={() => void run.start({ texts: [] })}>
        Call
      </button>
    </>
  );
}

const state = (value: 'INACTIVE' | 'RUNNING') => {
  answers(BASE, modelOf({ state: value }) as never);
  answers(`${BASE}/status`, { state: value, waiting: null });
};

/** The call starts an instance, so what was read before it does not hold any more. */
const wakes = (body: object, status: number) =>
  server.use(
    http.post('*/api/mlpgateway/account/acme/model/counter/predict', () => {
      state('RUNNING');
      return HttpResponse.json(body, { status });
    }),
  );

test.each([
  [{ words: 2 }, 200],
  [refusal('mlp.gate.model_failed', 502), 502],
])('a service that a call woke is read again when the call ends with %o', async (body, status) => {
  signedIn();
  state('INACTIVE');
  wakes(body, status);
  show(<Page />);
  expect(await screen.findByText('model INACTIVE')).toBeVisible();
  expect(await screen.findByText('instances INACTIVE')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Call' }));
  expect(await screen.findByText('model RUNNING')).toBeVisible();
  expect(await screen.findByText('instances RUNNING')).toBeVisible();
});
