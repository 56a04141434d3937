import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { SecretsPage } from './SecretsPage';

const PATH = `/api/mlpcore/account/${ANN.accountId}/secret`;
const SECRET = {
  secretId: 1,
  name: 'LLM',
  modelId: null,
  modelName: null,
  version: 2,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: 'ann@example.org',
  updatedAt: '2026-01-02T00:00:00Z',
  updatedBy: 'bob@example.org',
  usedBy: [{ modelId: 5, modelName: 'greeting', variables: ['LLM_KEY'] }],
};

function Known() {
  return useSession().state === 'signed-in' ? <SecretsPage /> : null;
}

function open(secrets: object[] = [SECRET]) {
  signedIn();
  answers(PATH, secrets as never);
  answers(`/api/mlpcore/account/${ANN.accountId}/model`, {
    paging: { pageNumber: 0, pageSize: 100, totalCount: 0, pageCount: 0 },
    records: [],
  });
  show(<Known />);
}

test('shows who changed it last and what uses it', async () => {
  open();
  const row = await screen.findByRole('row', { name: /LLM/ });
  expect(within(row).getByText('bob@example.org')).toBeInTheDocument();
  expect(within(row).getByRole('link', { name: 'greeting' })).toBeInTheDocument();
});

test('a new one is sent and its value is shown nowhere', async () => {
  let sent: unknown;
  open([]);
  expect(await screen.findByText('No secrets yet')).toBeInTheDocument();
  server.use(http.post(`*${PATH}`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(SECRET))));
  await userEvent.click(screen.getByRole('button', { name: 'Create a secret' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.type(within(dialog).getByRole('textbox', { name: /Name/ }), 'LLM');
  await userEvent.type(within(dialog).getByLabelText(/Value/), 'very secret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toEqual({ name: 'LLM', value: 'very secret', modelId: null }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.queryByDisplayValue('very secret')).not.toBeInTheDocument();
});

test('what is typed is not lost by Escape', async () => {
  open([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Create a secret' }));
  const value = within(await screen.findByRole('dialog')).getByLabelText(/Value/);
  await userEvent.type(value, 'very secret{Escape}');
  expect(value).toBeInTheDocument();
  expect(value).toHaveValue('very secret');
});

test('says when a new value counts', async () => {
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Replace the value of LLM' }));
  expect(
    await screen.findByText(
      'Instances that run keep the old value. Restart the services that use it to give them the new one.',
    ),
  ).toBeInTheDocument();
});

test('one in use is not deleted, and it is said why', async () => {
  open();
  server.use(
    http.delete(`*${PATH}/1`, () =>
      HttpResponse.json(refusal('mlp.core.in_use', 409, 'the secret is in use: greeting'), { status: 409 }),
    ),
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Delete LLM' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(/the secret is in use: greeting/)).toBeInTheDocument();
});

const nothing = () => undefined;

test('on a phone each secret is a card with its buttons at hand', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => ({
    media,
    matches: media.includes('max-width'),
    onchange: null,
    dispatchEvent: () => false,
    addEventListener: nothing,
    removeEventListener: nothing,
    addListener: nothing,
    removeListener: nothing,
  }));
  open();
  const card = await screen.findByRole('listitem');
  expect(within(card).getByText('bob@example.org')).toBeInTheDocument();
  expect(within(card).getByRole('link', { name: 'greeting' })).toBeInTheDocument();
  expect(within(card).getByRole('button', { name: 'Replace the value of LLM' })).toBeInTheDocument();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  vi.mocked(window.matchMedia).mockRestore();
});
