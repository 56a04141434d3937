import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { SaveScope } from '@/components/settings/SaveScope';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { LimitsForm } from './LimitsForm';

const LIMITS = { baseModelInstanceLimit: 1, derivedModelInstanceLimit: 2, gpuModelInstanceLimit: 0, cpuLimit: '4', memoryLimit: '8Gi', ephemeralDiskLimit: '1Gi', predictPerSec: 10, fitPerMinute: 1, storageLimit: '10Gi' };
const PATH = '/api/mlpcore/admin/account/5';

function open() {
  signedIn();
  answers(PATH, { accountId: 5, limits: LIMITS });
  show(<SaveScope><LimitsForm account="5" /></SaveScope>);
}

const calls = () => screen.findByRole('textbox', { name: 'Calls per second' });

test('limits are saved together, with the ones that did not change', async () => {
  let sent: unknown;
  open();
  server.use(http.post(`*${PATH}/limits`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(LIMITS))));
  await userEvent.clear(await calls());
  await userEvent.type(await calls(), '25');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual({ ...LIMITS, predictPerSec: 25 }));
});

test('an empty limit is not sent, a refused one says why at its field', async () => {
  open();
  server.use(http.post(`*${PATH}/limits`, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400, 'bad input'), args: { memoryLimit: 'is no quantity' } }, { status: 400 })));
  const memory = await screen.findByRole('textbox', { name: 'Memory' });
  await userEvent.clear(memory);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  await userEvent.type(memory, 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('is no quantity')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});
