import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { Problem } from '@/api';
import { show } from '@/testing/render';
import { signedIn } from '@/testing/server';

import type { SectionSpec } from './fields';
import { SaveScope } from './SaveScope';
import { SettingsForm } from './SettingsForm';

const SECTIONS: SectionSpec[] = [
  {
    title: 'about',
    fields: [
      { path: 'displayName', kind: 'text' },
      { path: 'languages', kind: 'tags', spaced: true },
      { path: 'aliases', kind: 'tags' },
      { path: 'allowedAccounts', kind: 'numbers' },
    ],
  },
  {
    title: 'queue',
    fields: [
      { path: 'priorityQueue.enabled', kind: 'switch' },
      { path: 'priorityQueue.concurrencyLevel', kind: 'number', min: 1, when: 'priorityQueue.enabled' },
    ],
  },
  { title: 'publicity', fields: [{ path: 'isPublic', kind: 'switch', needs: 'mlp.public_model_admin' }] },
];
const SOURCE = {
  displayName: 'Old',
  languages: ['en', 'ru'],
  isPublic: false,
  priorityQueue: { enabled: false, concurrencyLevel: 1 },
};
const problem = (args: Record<string, string>): Problem => ({
  status: 400,
  code: 'mlp.core.validation_error',
  message: 'bad input',
  args,
  requestId: 'r',
});

function showForm(error?: Problem, features: string[] = []) {
  signedIn({ features });
  const save = vi.fn<(changed: object) => Promise<{ error?: Problem }>>(() => Promise.resolve(error ? { error } : {}));
  const view = show(
    <SaveScope>
      <SettingsForm sections={SECTIONS} source={SOURCE} save={save} texts="Settings" />
    </SaveScope>,
  );
  return Object.assign(save, view);
}

test('only what was changed is saved', async () => {
  const save = showForm();
  const queue = await screen.findByRole('switch', { name: 'Queue by priority' });
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  await userEvent.click(queue);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(save).toHaveBeenCalledWith({ priorityQueue: { enabled: true, concurrencyLevel: 1 } }));
});

test('a text of a list is removed from the keyboard, and several are pasted', async () => {
  const save = showForm();
  await userEvent.click(await screen.findByRole('textbox', { name: 'Languages of the data' }));
  await userEvent.tab({ shift: true });
  expect(screen.getByRole('button', { name: 'Remove ru' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByRole('textbox', { name: 'Languages of the data' })).toHaveFocus();
  await userEvent.paste('de fr');
  await userEvent.keyboard('{Enter}');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(save).toHaveBeenCalledWith({ languages: ['en', 'de', 'fr'] }));
});

test('a space separates codes and numbers, and is part of a name', async () => {
  const save = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Languages of the data' }), 'de fr ');
  await userEvent.type(screen.getByRole('textbox', { name: 'Aliases' }), 'my model,');
  await userEvent.type(screen.getByRole('textbox', { name: 'Accounts with access' }), '5 7 ');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(save).toHaveBeenCalledWith({
      languages: ['en', 'ru', 'de', 'fr'],
      aliases: ['my model'],
      allowedAccounts: [5, 7],
    }),
  );
});

test('a field that belongs to a switch is there while the switch is on', async () => {
  showForm();
  await screen.findByRole('switch', { name: 'Queue by priority' });
  expect(screen.queryByRole('textbox', { name: 'Calls at once on one instance' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('switch', { name: 'Queue by priority' }));
  expect(screen.getByRole('textbox', { name: 'Calls at once on one instance' })).toBeInTheDocument();
});

test("the server's word on a field stands at the field, the rest below the fields", async () => {
  showForm(problem({ displayName: 'is taken' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('is taken')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});

test('changes are undone', async () => {
  showForm(problem({ other: 'x' }));
  const name = await screen.findByRole('textbox', { name: 'Display name' });
  await userEvent.type(name, '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('bad input')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(name).toHaveValue('Old');
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Unsaved changes' })).not.toBeInTheDocument();
});

test('the bar names what changed, and goes when it is saved', async () => {
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!');
  await userEvent.click(screen.getByRole('switch', { name: 'Queue by priority' }));
  const bar = screen.getByRole('region', { name: 'Unsaved changes' });
  expect(bar).toHaveTextContent('Changed: display name, queue by priority');
  await userEvent.click(within(bar).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Changes saved')).toBeInTheDocument();
  expect(bar).not.toBeInTheDocument();
});

test('Enter saves', async () => {
  const save = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!{Enter}');
  await waitFor(() => expect(save).toHaveBeenCalledWith({ displayName: 'Old!' }));
});

test('another page asks first, and saving goes on to it', async () => {
  const save = showForm();
  const { history } = save;
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!');
  act(() => history.push('/elsewhere'));
  const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
  expect(dialog).toHaveTextContent('Changed: display name');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect(history.location.pathname).toBe('/');
  act(() => history.push('/elsewhere'));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save and leave' }));
  expect(await screen.findByTestId('elsewhere')).toBeInTheDocument();
  expect(save).toHaveBeenCalledWith({ displayName: 'Old!' });
});

test('what cannot be saved is not left by saving', async () => {
  const { history } = showForm(problem({ displayName: 'is taken' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!');
  act(() => history.push('/elsewhere'));
  await userEvent.click(await screen.findByRole('button', { name: 'Save and leave' }));
  expect(await screen.findByText('is taken')).toBeInTheDocument();
  act(() => history.push('/elsewhere'));
  await userEvent.click(await screen.findByRole('button', { name: 'Leave without saving' }));
  expect(await screen.findByTestId('elsewhere')).toBeInTheDocument();
});

const closes = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

test('closing the page asks while something changed, and only then', async () => {
  showForm();
  const name = await screen.findByRole('textbox', { name: 'Display name' });
  expect(closes()).toBe(true);
  await userEvent.type(name, '!');
  expect(closes()).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(closes()).toBe(true);
});

test('a setting that needs a right is closed without it, and asks for it in place', async () => {
  const { history } = showForm();
  expect(await screen.findByText('This needs the right “Publish services and earn from them”.')).toBeInTheDocument();
  expect(screen.getByRole('switch', { name: 'Public' })).toBeDisabled();
  await userEvent.click(screen.getByRole('button', { name: 'Request access' }));
  expect(history.location.search).toContain('modal=access&about=mlp.public_model_admin');
});

test('with the right it is open', async () => {
  showForm(undefined, ['mlp.public_model_admin']);
  expect(await screen.findByRole('switch', { name: 'Public' })).toBeEnabled();
  expect(screen.queryByText(/This needs the right/)).not.toBeInTheDocument();
});

test('a refusal for a missing right names it', async () => {
  showForm(
    {
      status: 403,
      code: 'mlp.gate.access_denied',
      message: 'you may not do this',
      args: { feature: 'mlp.container_additional_flags' },
      requestId: 'r',
    },
    ['mlp.public_model_admin'],
  );
  await userEvent.type(await screen.findByRole('textbox', { name: 'Display name' }), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Set container flags/)).toBeInTheDocument();
});
