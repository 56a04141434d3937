import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { Problem } from '@/api';
import { show } from '@/testing/render';
import { signedIn } from '@/testing/server';

import type { SectionSpec } from './sections';
import { SettingsForm } from './SettingsForm';

const SECTIONS: SectionSpec[] = [
  { title: 'about', fields: [{ path: 'displayName', kind: 'text' }] },
  { title: 'queue', fields: [{ path: 'priorityQueue.enabled', kind: 'switch' }, { path: 'priorityQueue.concurrencyLevel', kind: 'number', min: 1, when: 'priorityQueue.enabled' }] },
];
const SOURCE = { displayName: 'Old', priorityQueue: { enabled: false, concurrencyLevel: 1 } };
const problem = (args: Record<string, string>): Problem => ({ status: 400, code: 'mlp.core.validation_error', message: 'bad input', args, requestId: 'r' });

function showForm(error?: Problem) {
  signedIn();
  const save = vi.fn<(changed: object) => Promise<{ error?: Problem }>>(() => Promise.resolve(error ? { error } : {}));
  show(<SettingsForm sections={SECTIONS} source={SOURCE} save={save} />);
  return save;
}

test('only what was changed is saved', async () => {
  const save = showForm();
  const button = await screen.findByRole('button', { name: 'Save' });
  expect(button).toBeDisabled();
  await userEvent.click(screen.getByRole('switch', { name: 'Queue by priority' }));
  await userEvent.click(button);
  await waitFor(() => expect(save).toHaveBeenCalledWith({ priorityQueue: { enabled: true, concurrencyLevel: 1 } }));
});

test('a field that belongs to a switch is there while the switch is on', async () => {
  showForm();
  await screen.findByRole('button', { name: 'Save' });
  expect(screen.queryByRole('textbox', { name: 'Calls at once on one instance' })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('switch', { name: 'Queue by priority' }));
  expect(screen.getByRole('textbox', { name: 'Calls at once on one instance' })).toBeInTheDocument();
});

test('the server\'s word on a field stands at the field, the rest above the button', async () => {
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
  await userEvent.click(screen.getByRole('button', { name: 'Undo the changes' }));
  expect(name).toHaveValue('Old');
});
