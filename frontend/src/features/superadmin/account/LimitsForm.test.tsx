import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { SaveScope } from '@/components/settings/SaveScope';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { LimitsForm } from './LimitsForm';

const LIMITS = {
  baseModelInstanceLimit: 1,
  derivedModelInstanceLimit: 2,
  gpuModelInstanceLimit: 0,
  cpuLimit: '4',
  memoryLimit: '8Gi',
  ephemeralDiskLimit: '1Gi',
  predictPerSec: 10,
  fitPerMinute: 1,
  storageLimit: '10Gi',
};
const PATH = '/api/mlpcore/admin/account/5';

function open() {
  signedIn();
  answers(PATH, { accountId: 5, limits: LIMITS });
  show(
    <SaveScope>
      <LimitsForm account="5" />
    </SaveScope>,
  );
}

const reason = () => screen.findByRole('textbox', { name: 'Reason' });
const calls = () => screen.findByRole('textbox', { name: 'Calls per second' });

test('limits are saved together, with the ones that did not change and a reason', async () => {
  let sent: unknown;
  open();
  server.use(
    http.post(`*${PATH}/limits`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(LIMITS))),
  );
  await userEvent.clear(await calls());
  await userEvent.type(await calls(), '25');
  await userEvent.type(await reason(), 'agreed');
  expect(screen.getByRole('status')).toHaveTextContent('Changed: calls per second');
  expect(screen.getByRole('status')).not.toHaveTextContent('reason');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual({ ...LIMITS, predictPerSec: 25, reason: 'agreed' }));
});

test('a change without a reason is not sent', async () => {
  let calledTimes = 0;
  open();
  server.use(http.post(`*${PATH}/limits`, () => ((calledTimes += 1), HttpResponse.json(LIMITS))));
  await userEvent.type(await calls(), '5');
  await userEvent.type(await reason(), ' ');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  expect(await reason()).toHaveFocus();
  expect(calledTimes).toBe(0);
});

test('a reason is asked for once a limit changes, and each change has its own', async () => {
  open();
  server.use(http.post(`*${PATH}/limits`, () => HttpResponse.json(LIMITS)));
  await calls();
  expect(screen.queryByRole('textbox', { name: 'Reason' })).not.toBeInTheDocument();
  await userEvent.type(await calls(), '5');
  await userEvent.type(await reason(), 'agreed');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Reason' })).not.toBeInTheDocument());
  await userEvent.type(await calls(), '6');
  expect(await reason()).toHaveValue('');
});

test('an empty limit is not sent, a refused one says why at its field', async () => {
  open();
  server.use(
    http.post(`*${PATH}/limits`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400, 'bad input'), args: { memoryLimit: 'is no quantity' } },
        { status: 400 },
      ),
    ),
  );
  const memory = await screen.findByRole('textbox', { name: 'Memory' });
  await userEvent.clear(memory);
  await userEvent.type(await reason(), 'agreed');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  await userEvent.type(memory, 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('is no quantity')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});
