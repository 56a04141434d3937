import { EditorView } from '@codemirror/view';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { SaveScope } from '@/components/settings/SaveScope';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { Environment } from './Environment';

const PATH = `/api/mlpcore/account/${ANN.accountId}`;
// The page shows exactly the contents of these fields.
const MODEL = {
  id: { accountId: ANN.accountId, modelId: 5 },
  modelName: 'greeting',
  env: '{"API_KEY":"********","LEVEL":"info"}',
  secretEnv: {},
} as unknown as ModelInfoData;
const SECRET = {
  secretId: 1,
  name: 'LLM',
  modelId: null,
  modelName: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: 'a',
  updatedAt: '2026-01-01T00:00:00Z',
  updatedBy: 'a',
  usedBy: [],
};

/** The editor's document. */
const viewOf = (editor: HTMLElement) => EditorView.findFromDOM(editor);
const textOf = (editor: HTMLElement) => viewOf(editor)?.state.doc.toString() ?? '';
function replaceText(editor: HTMLElement, insert: string) {
  const view = viewOf(editor);
  act(() => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }));
}

function open() {
  signedIn();
  answers(`${PATH}/secret`, [SECRET, { ...SECRET, secretId: 2, name: 'OTHERS', modelId: 6 }]);
  show(
    <SaveScope>
      <Environment account={String(ANN.accountId)} model={MODEL} />
    </SaveScope>,
  );
}

test('a variable takes its value from a secret, and a hidden value stays as it is', async () => {
  let sent: unknown;
  open();
  server.use(
    http.post(
      `*${PATH}/model/greeting`,
      async ({ request }) => (
        (sent = await request.json()),
        HttpResponse.json({ ...MODEL, secretEnv: { LLM_KEY: 'LLM' } })
      ),
    ),
  );
  expect(await screen.findByText('Hidden: save it as it is to keep it, or type a new value')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Add a variable' }));
  const added = screen.getByRole('group', { name: 'New variable' });
  await userEvent.type(within(added).getByRole('textbox', { name: 'Name' }), 'LLM_KEY');
  await userEvent.selectOptions(within(added).getByRole('combobox', { name: 'Kind' }), 'secret');
  const choice = within(screen.getByRole('group', { name: 'LLM_KEY' })).getByRole('combobox', { name: 'Secret' });
  expect(within(choice).queryByRole('option', { name: 'OTHERS' })).not.toBeInTheDocument();
  await userEvent.selectOptions(choice, 'LLM');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent).toEqual({
      modelName: 'greeting',
      env: '{"API_KEY":"********","LEVEL":"info"}',
      secretEnv: { LLM_KEY: 'LLM' },
    }),
  );
});

test('what is refused keeps the rows', async () => {
  open();
  server.use(
    http.post(`*${PATH}/model/greeting`, () =>
      HttpResponse.json(refusal('mlp.core.validation_error', 400, 'send the value'), { status: 400 }),
    ),
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Remove LEVEL' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/send the value/)).toBeInTheDocument();
  expect(screen.queryByRole('group', { name: 'LEVEL' })).not.toBeInTheDocument();
  expect(screen.getByRole('group', { name: 'API_KEY' })).toBeInTheDocument();
});

const level = () => within(screen.getByRole('group', { name: 'LEVEL' }));

test('a kind chosen by mistake costs nothing of what was typed', async () => {
  open();
  await userEvent.selectOptions(level().getByRole('combobox', { name: 'Kind' }), 'secret');
  expect(level().getByRole('combobox', { name: 'Secret' })).toHaveValue('');
  await userEvent.selectOptions(level().getByRole('combobox', { name: 'Kind' }), 'value');
  expect(level().getByRole('textbox', { name: 'Value' })).toHaveValue('info');
});

const shown = (kind: 'Rows' | 'JSON') => userEvent.click(screen.getByRole('radio', { name: kind }));

test('rows and JSON show the same, also rows that are not complete', async () => {
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Add a variable' }));
  await shown('JSON');
  const editor = await screen.findByRole('textbox', { name: 'Environment variables' });
  expect(JSON.parse(textOf(editor))).toEqual([
    { name: 'API_KEY', value: '********' },
    { name: 'LEVEL', value: 'info' },
    { name: '', value: '' },
  ]);
  await shown('Rows');
  expect(screen.getByRole('group', { name: 'New variable' })).toBeInTheDocument();
  expect(level().getByRole('textbox', { name: 'Value' })).toHaveValue('info');
});

test('text that is no list of rows stays until it is one, and is not saved', async () => {
  open();
  await shown('JSON');
  const editor = await screen.findByRole('textbox', { name: 'Environment variables' });
  replaceText(editor, '[{"name": "LEVEL", "value": 5}]');
  expect(await screen.findByText(/cannot be shown as rows/)).toBeInTheDocument();
  expect(screen.getByRole('radio', { name: 'Rows' })).toBeDisabled();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(textOf(editor)).toContain('5');
  replaceText(editor, '[{"name": "LEVEL", "value": "debug"}]');
  await shown('Rows');
  expect(level().getByRole('textbox', { name: 'Value' })).toHaveValue('debug');
  expect(screen.queryByRole('group', { name: 'API_KEY' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(level().getByRole('textbox', { name: 'Value' })).toHaveValue('info');
});

test('an error of the server stands at the row that it names', async () => {
  open();
  const args = { env: 'the value of LEVEL is too long or contains the NUL character' };
  server.use(
    http.post(`*${PATH}/model/greeting`, () =>
      HttpResponse.json({ ...refusal('mlp.core.validation_error', 400, 'bad input'), args }, { status: 400 }),
    ),
  );
  await userEvent.type(level().getByRole('textbox', { name: 'Value' }), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await level().findByText(/too long/)).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});

test('a stored text that is no environment is shown, and nothing breaks', async () => {
  signedIn();
  answers(`${PATH}/secret`, []);
  show(
    <SaveScope>
      <Environment account={String(ANN.accountId)} model={{ ...MODEL, env: 'LEVEL=info' }} />
    </SaveScope>,
  );
  expect(await screen.findByText('The stored value cannot be read')).toBeVisible();
  expect(screen.getByText('LEVEL=info')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Add a variable' })).toBeEnabled();
});
