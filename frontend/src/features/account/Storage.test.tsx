import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { SaveScope } from '@/components/settings/SaveScope';
import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { Storage } from './Storage';

const PATH = `/api/mlpgateway/account/${ANN.accountId}`;
const NOTHING_SET = { predictionHours: null, answerHours: null, archiveHours: null };
const STORAGE = {
  limitBytes: 10 * 2 ** 30,
  usedBytes: 2 ** 30,
  kinds: [
    { kind: 'predictions', bytes: 2 ** 29, items: 3 },
    { kind: 'answers', bytes: 0, items: 0 },
    { kind: 'archive', bytes: 2 ** 29, items: 1 },
  ],
  setting: NOTHING_SET,
  kept: { predictionHours: 24, answerHours: 24, archiveHours: null },
};

/** Member pages render only after the user is known. */
function Known() {
  return useSession().state === 'signed-in' ? (
    <SaveScope>
      <Storage>files</Storage>
    </SaveScope>
  ) : null;
}

function open(storage: object = STORAGE, { owner = true } = {}) {
  signedIn({ accountOwner: owner });
  answers(`${PATH}/storage`, storage as never);
  show(<Known />);
}

test('what is stored is shown beside what may be', async () => {
  open();
  expect(await screen.findByText('1 GiB of 10 GiB are used')).toBeInTheDocument();
  expect(screen.getByText('512 MiB · 3 items')).toBeInTheDocument();
  expect(screen.getByText('512 MiB · 1 item')).toBeInTheDocument();
  expect(screen.queryByText(/Nothing more fits/)).not.toBeInTheDocument();
});

test('an account at its limit is told what is refused', async () => {
  open({ ...STORAGE, usedBytes: STORAGE.limitBytes });
  expect(await screen.findByText(/Nothing more fits/)).toBeInTheDocument();
});

test("an owner keeps things for a shorter time, and an empty field is the platform's own", async () => {
  let sent: unknown;
  open({ ...STORAGE, setting: { ...NOTHING_SET, archiveHours: 5 } });
  server.use(
    http.put(`*${PATH}/storage`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(STORAGE))),
  );
  const predictions = await screen.findByRole('textbox', { name: 'Predictions, hours' });
  expect(predictions).toHaveAttribute('placeholder', '24 by the platform');
  await userEvent.type(predictions, '2');
  await userEvent.clear(screen.getByRole('textbox', { name: 'Archived requests, hours' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual({ predictionHours: 2, answerHours: null, archiveHours: null }));
});

test('finished predictions are deleted after a question', async () => {
  let deleted = false;
  open();
  server.use(http.delete(`*${PATH}/predictions`, () => ((deleted = true), HttpResponse.json({ deleted: 3 }))));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete finished predictions' }));
  expect(deleted).toBe(false);
  await userEvent.click(
    within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete finished predictions' }),
  );
  await waitFor(() => expect(deleted).toBe(true));
});

test('what is refused stands at its field', async () => {
  open();
  server.use(
    http.put(`*${PATH}/storage`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { predictionHours: 'is too long' } },
        { status: 400 },
      ),
    ),
  );
  await userEvent.type(await screen.findByRole('textbox', { name: 'Predictions, hours' }), '9');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('is too long')).toBeInTheDocument();
});

test('a member who is no owner looks only, and a refusal says why', async () => {
  open(STORAGE, { owner: false });
  expect(await screen.findByText('1 GiB of 10 GiB are used')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});

test('a view that cannot be read says why', async () => {
  signedIn();
  answers(`${PATH}/storage`, refusal('mlp.core.unavailable', 503, 'the database is away'), 503);
  show(<Known />);
  expect(await screen.findByText(/the database is away/)).toBeInTheDocument();
});
