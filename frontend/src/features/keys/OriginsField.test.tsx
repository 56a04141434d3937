import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { KEY, origins, paste, pills, showForm, takesKeys } from '@/testing/keyForm';

const ANY_SITE = '* already allows any site; the others have no effect.';
const WARNING = 'Anyone who opens the page can use this key.';

test('they are shown and sent as they are stored, each once', async () => {
  const sent = takesKeys();
  const created = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('HTTPS://Example.com/\nhttps://example.com:443\r\n\thttp://localhost:3000; https://b.example,');
  expect(pills()).toEqual(['https://example.com', 'http://localhost:3000', 'https://b.example']);
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(created).toHaveBeenCalledWith({ token: '5.1.secret' }));
  expect(sent).toMatchObject([
    { allowedOrigins: ['https://example.com', 'http://localhost:3000', 'https://b.example'] },
  ]);
});

test('a text that is left in the field is sent too', async () => {
  const sent = takesKeys();
  const created = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.type(origins(), 'https://left.example/');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(created).toHaveBeenCalled());
  expect(sent).toMatchObject([{ allowedOrigins: ['https://left.example'] }]);
});

test('a text that is left in the field is a change of a key', async () => {
  showForm(KEY);
  const save = await screen.findByRole('button', { name: 'Save' });
  expect(save).toBeDisabled();
  await userEvent.type(origins(), 'https://left.example');
  expect(save).toBeEnabled();
});

test('none of too many is dropped, and the key is not created', async () => {
  const sent = takesKeys();
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste(Array.from({ length: 20 }, (_, at) => `https://a${at}.example`).join('\n'));
  expect(origins()).toBeValid();
  await userEvent.type(origins(), 'https://last.example');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('At most 20 origins; you entered 21. Remove the rest.')).toBeInTheDocument();
  expect(pills()).toHaveLength(21);
  expect(origins()).toHaveFocus();
  expect(sent).toEqual([]);
});

test('each wrong one is marked and named at once', async () => {
  const sent = takesKeys();
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('example.com https://a.example https://b.example/path');
  expect(
    screen.getByText(
      'Not an origin: example.com, https://b.example/path. Enter scheme and host, such as https://example.com or http://localhost:3000, without a path.',
    ),
  ).toBeInTheDocument();
  expect([...document.querySelectorAll('[data-wrong]')].map((pill) => pill.textContent)).toEqual([
    'example.com',
    'https://b.example/path',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Remove example.com (not valid)' }));
  await userEvent.click(screen.getByRole('button', { name: 'Remove https://b.example/path (not valid)' }));
  expect(origins()).toBeValid();
});

test('any site is beside the others, which are named and not sent; a wrong one is refused', async () => {
  const sent = takesKeys();
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('https://a.example b.example');
  expect(screen.queryByText(ANY_SITE)).not.toBeInTheDocument();
  await userEvent.type(origins(), '* ');
  expect(pills()).toEqual(['https://a.example', 'b.example', '*']);
  expect(screen.getByText(ANY_SITE)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(origins()).toBeInvalid();
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Remove b.example (not valid)' }));
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(sent).toMatchObject([{ allowedOrigins: ['*'] }]));
});

test('any site may be added to as many others as there may be', async () => {
  showForm();
  await screen.findByRole('textbox', { name: 'Name' });
  await paste(['*', ...Array.from({ length: 20 }, (_, at) => `https://a${at}.example`)].join('\n'));
  expect(origins()).toBeValid();
});

test('Enter after they were pasted does not send the form', async () => {
  const sent = takesKeys();
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('https://a.example');
  await userEvent.keyboard('{Enter}');
  await userEvent.click(screen.getByRole('textbox', { name: 'Tell by e-mail' }));
  await userEvent.keyboard('{Enter}');
  await userEvent.click(screen.getByRole('textbox', { name: 'Language models' }));
  await userEvent.keyboard(' {Enter}');
  expect(sent).toEqual([]);
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), '{Enter}');
  await waitFor(() => expect(sent).toHaveLength(1));
});

test('one is removed from the keyboard, and the field has the focus again', async () => {
  showForm();
  await screen.findByRole('textbox', { name: 'Name' });
  await paste('https://a.example https://b.example');
  await userEvent.tab({ shift: true });
  await userEvent.tab({ shift: true });
  expect(screen.getByRole('button', { name: 'Remove https://a.example' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(pills()).toEqual(['https://b.example']);
  expect(origins()).toHaveFocus();
  expect(screen.getByText('https://b.example').closest('[title]')).toHaveAttribute('title', 'https://b.example');
});

test('a warning beside them names what the key lacks, and no more', async () => {
  showForm({ ...KEY, allowedOrigins: [], allowedServices: [{ accountId: 5, modelId: 9 }] });
  await screen.findByRole('textbox', { name: 'Name' });
  expect(screen.queryByText(WARNING, { exact: false })).not.toBeInTheDocument();
  await paste('https://a.example');
  expect(screen.getByText(`${WARNING} Set a spending limit.`)).toBeInTheDocument();
  fireEvent.change(screen.getByRole('textbox', { name: 'Calls at most' }), { target: { value: '1000000' } });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Read' }));
  expect(screen.getByText(`${WARNING} Leave only “Call”. Set a spending limit.`)).toBeInTheDocument();
  fireEvent.change(screen.getByRole('textbox', { name: 'Total spending, roubles' }), { target: { value: '5' } });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Read' }));
  expect(screen.queryByText(WARNING, { exact: false })).not.toBeInTheDocument();
  await userEvent.type(screen.getByRole('combobox', { name: 'Services' }), '{Backspace}');
  expect(screen.getByText(`${WARNING} Choose the services.`)).toBeInTheDocument();
});

test('the field links to how they work', async () => {
  showForm();
  expect(await screen.findByRole('link', { name: 'How calls from a browser work' })).toHaveAttribute(
    'href',
    '/docs/limits#calls-from-web-pages-cors-allowed-origins',
  );
});
