import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { DATASET, knownDatasets, PATH } from '@/testing/datasets';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { DatasetAbout } from './DatasetAbout';

const ENTRY = {
  recordId: 1,
  timestamp: 1_763_726_400_000,
  level: 'INFO',
  code: 'DATASET_CREATED',
  args: { name: 'intents' },
  message: 'said by the server',
};
const LOGS = `${PATH}/7/logs`;

function open(part: Partial<typeof DATASET> = {}) {
  knownDatasets();
  return show(<DatasetAbout account="acme" dataset={{ ...DATASET, ...part }} />);
}

/** Takes changes; answers with what is given. */
function changing(answer: () => Response = () => HttpResponse.json(DATASET)) {
  const sent: unknown[] = [];
  server.use(http.post(`*${PATH}/7/raw`, async ({ request }) => (sent.push(await request.json()), answer())));
  return sent;
}

test('says how large it is, how many rows it has, and what happened to it', async () => {
  answers(LOGS, [ENTRY, { ...ENTRY, recordId: 2, code: 'OF_A_LATER_RELEASE' }]);
  open();
  expect(await screen.findByText(/^100.B · 2 rows$/)).toBeInTheDocument();
  const entries = within(await screen.findByRole('list')).getAllByRole('listitem');
  expect(entries.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/The dataset intents was created$/),
    expect.stringMatching(/said by the server$/),
  ]);
});

test('one without rows tells only its size', async () => {
  answers(LOGS, []);
  open({ rows: null });
  expect(await screen.findByText(/^100.B$/)).toBeInTheDocument();
  expect(await screen.findByText('Nothing happened yet')).toBeInTheDocument();
});

test('changes are saved; a content keeps its type and is not chosen here', async () => {
  answers(LOGS, []);
  const sent = changing();
  open();
  const name = await screen.findByRole('textbox', { name: /Name/ });
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  expect(screen.getByRole('combobox', { name: /Type/ })).toHaveAttribute('readonly');
  expect(document.querySelector('input[type=file]')).toBeNull();
  await userEvent.clear(name);
  await userEvent.type(name, 'intents 2');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent).toEqual([
      { name: 'intents 2', description: 'Greetings', dataType: 'csv/texts-and-labels', accessMode: 'private' },
    ]),
  );
  expect(await screen.findByText('The dataset is saved')).toBeInTheDocument();
});

test('what is refused stands at its field', async () => {
  answers(LOGS, []);
  const args = { name: 'must not contain two dots in a row' };
  const violations = [{ path: 'name', rule: 'file_name', args: {}, message: args.name }];
  changing(() =>
    HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args, violations }, { status: 400 }),
  );
  open();
  const name = await screen.findByRole('textbox', { name: /Name/ });
  await userEvent.type(name, '..');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(name).toBeInvalid());
  expect(screen.getByText(/Use 1 to 128 visible characters/)).toBeInTheDocument();
  expect(screen.queryByText('The dataset is saved')).not.toBeInTheDocument();
});

test('a history that cannot be read says why, leaves the form, and is read again', async () => {
  answers(LOGS, refusal('mlp.core.unavailable', 503, 'the database is away'), 503);
  open();
  expect(within(await screen.findByRole('alert')).getByText(/the database is away/)).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: /Name/ })).toBeInTheDocument();
  answers(LOGS, [ENTRY]);
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('The dataset intents was created')).toBeInTheDocument();
});
