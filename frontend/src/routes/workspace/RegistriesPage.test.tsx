import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { RegistriesPage } from './RegistriesPage';

const PATH = `/api/mlpcore/account/${ANN.accountId}/registry-credential`;
const CREDENTIAL = {
  credentialId: 1,
  host: 'registry.example:5000',
  username: 'robot',
  version: 2,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: 'ann@example.org',
  updatedAt: '2026-01-02T00:00:00Z',
  updatedBy: 'bob@example.org',
};

function Known() {
  return useSession().state === 'signed-in' ? <RegistriesPage /> : null;
}

function open(credentials: object[] = [CREDENTIAL]) {
  signedIn();
  answers(PATH, credentials as never);
  show(<Known />);
}

test('shows registry, user and who changed it last', async () => {
  open();
  const row = await screen.findByRole('row', { name: /registry\.example:5000/ });
  expect(within(row).getByText('robot')).toBeInTheDocument();
  expect(within(row).getByText('bob@example.org')).toBeInTheDocument();
});

test('new ones are sent and their password is shown nowhere', async () => {
  let sent: unknown;
  open([]);
  expect(await screen.findByText('No private registries yet')).toBeInTheDocument();
  server.use(
    http.post(`*${PATH}`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(CREDENTIAL))),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Add a registry' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Registry/ }), 'registry.example:5000');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /User name/ }), 'robot');
  await userEvent.type(within(dialog).getByLabelText(/Password/), 'very secret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(sent).toEqual({ host: 'registry.example:5000', username: 'robot', password: 'very secret' }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.queryByDisplayValue('very secret')).not.toBeInTheDocument();
});

test('a refused host is named at its field', async () => {
  open([]);
  const refused = {
    ...refusal('mlp.core.validation_error', 400),
    args: { host: 'wrong' },
    violations: [{ path: 'host', rule: 'registry_host', args: {} }],
  };
  server.use(http.post(`*${PATH}`, () => HttpResponse.json(refused, { status: 400 })));
  await userEvent.click(await screen.findByRole('button', { name: 'Add a registry' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Registry/ }), 'acme');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /User name/ }), 'robot');
  await userEvent.type(within(dialog).getByLabelText(/Password/), 'very secret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Create' }));
  expect(
    await within(dialog).findByText('Enter the host of a registry, such as registry.example:5000 or docker.io.'),
  ).toBeInTheDocument();
});

test('a new password keeps the registry and says when it counts', async () => {
  let sent: unknown;
  open();
  server.use(
    http.post(`*${PATH}/1`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(CREDENTIAL))),
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Change the credentials of registry.example:5000' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText(/Instances that run, or try to start, keep the old ones/)).toBeInTheDocument();
  await userEvent.type(within(dialog).getByLabelText(/Password/), 'another');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual({ username: 'robot', password: 'another' }));
});

test('one is deleted after a question', async () => {
  let deleted = false;
  open();
  server.use(http.delete(`*${PATH}/1`, () => ((deleted = true), new HttpResponse(null, { status: 200 }))));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete the credentials of registry.example:5000' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(deleted).toBe(true));
});

test('a refused deletion is said in its window, and Cancel gives the focus back', async () => {
  open();
  server.use(http.delete(`*${PATH}/1`, () => HttpResponse.json(refusal('mlp.core.conflict', 409), { status: 409 })));
  const asks = await screen.findByRole('button', { name: 'Delete the credentials of registry.example:5000' });
  await userEvent.click(asks);
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  expect(await dialog.findByRole('alert')).toBeInTheDocument();
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(asks).toHaveFocus());
});
