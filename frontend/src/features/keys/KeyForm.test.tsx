import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { KeyForm } from './KeyForm';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
const TOKENS = '*/api/mlpcore/account/5/token';

const KEY: AccessTokenData = {
  token: '5.7.************abcd', name: 'page', creationDate: '2026-11-21T12:00:00Z', expiresAt: null, permissions: ['predict'], allowedServices: null, allowedLlms: null,
  temporary: false, maxLifetime: null, maxLifetimePeriod: null, requestLimit: null, requestLimitPeriod: null, maxRequestSize: null, maxRequestSizeUnit: null,
  spendingLimits: null, expenseLimit: null, maxPricePerCall: null, notificationEmails: null, allowedOrigins: ['https://a.example'],
};
const ANY_SITE = '* already allows any site; the others have no effect.';
const WARNING = 'Anyone who opens the page can use this key. Leave only “Call”, choose the services, and set a spending limit.';

const origins = () => screen.getByRole('textbox', { name: 'Websites that may call from the browser' });
const pills = () => [...document.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent);

/** The bodies of the keys that are created. */
function takesKeys(): unknown[] {
  const sent: unknown[] = [];
  server.use(http.post(TOKENS, async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' }))));
  return sent;
}

async function paste(text: string, field = 'Websites that may call from the browser'): Promise<void> {
  await userEvent.click(screen.getByRole('textbox', { name: field }));
  await userEvent.paste(text);
}

function showForm(edited: AccessTokenData | null = null) {
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/models', PAGE);
  const created = vi.fn<(token: string, forPages: boolean) => void>();
  show(<KeyForm account="5" edited={edited} onUnsaved={() => undefined} onSending={() => undefined} onCreated={created} onChanged={() => undefined} />);
  return created;
}

test('a key needs a name', async () => {
  showForm();
  await userEvent.click(await screen.findByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus();
});

test('names of models differ by case, origins do not', async () => {
  showForm();
  await screen.findByRole('button', { name: 'Create a key' });
  await paste('GPT, gpt', 'Language models');
  expect(pills()).toEqual(['GPT', 'gpt']);
  await paste('https://a.example HTTPS://A.example');
  expect(pills()).toEqual(['GPT', 'gpt', 'https://a.example']);
});

test('the secret is handed on once, with the limits that were set', async () => {
  const sent: unknown[] = [];
  server.use(http.post(TOKENS, async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' }))));
  const created = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.type(screen.getByRole('textbox', { name: 'Calls at most' }), '20');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(created).toHaveBeenCalledWith('5.1.secret', false));
  expect(sent).toMatchObject([{ name: 'mine', permissions: ['predict'], requestLimit: 20, requestLimitPeriod: 'MINUTE', spendingLimits: null }]);
});

test('what the server says of a field stands at the field of the form', async () => {
  server.use(http.post(TOKENS, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args: { maxLifetime: 'is too long' } }, { status: 400 })));
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('is too long')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Expires after' })).toBeInvalid();
  expect(screen.getByRole('textbox', { name: 'Expires after' })).toHaveFocus();
});

test('a group of boxes without a choice gets the focus', async () => {
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('checkbox', { name: 'Call' }));
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(screen.getByRole('checkbox', { name: 'Call' })).toHaveFocus());
});

test('different errors of the entries of a list are all said at its field, and equal ones once', async () => {
  const paths = ['allowedOrigins.0', 'allowedOrigins.1', 'allowedOrigins.2'];
  const rules = [['web_origin', {}], ['web_origin', {}], ['too_long', { max: '300' }]] as const;
  const violations = paths.map((path, at) => ({ path, rule: rules[at]?.[0], args: rules[at]?.[1] }));
  server.use(http.post(TOKENS, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args: Object.fromEntries(paths.map((path) => [path, 'raw'])), violations }, { status: 400 })));
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('https://a.example https://b.example https://c.example');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText("This is not a website's origin. Write https://example.com or http://localhost:3000, without a path; or * for any site. Subdomains: list each one. Too long. Characters at most: 300.")).toBeInTheDocument();
  expect(origins()).toBeInvalid();
  expect(origins()).toHaveFocus();
});

test('an error of one address to write to stands at their field', async () => {
  server.use(http.post(TOKENS, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args: { 'notificationEmails.1': 'is wrong' } }, { status: 400 })));
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('is wrong')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

describe('origins', () => {
  test('they are shown and sent as they are stored, each once', async () => {
    const sent = takesKeys();
    const created = showForm();
    await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
    await paste('HTTPS://Example.com/\nhttps://example.com:443\r\n\thttp://localhost:3000; https://b.example,');
    expect(pills()).toEqual(['https://example.com', 'http://localhost:3000', 'https://b.example']);
    await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
    await waitFor(() => expect(created).toHaveBeenCalledWith('5.1.secret', true));
    expect(sent).toMatchObject([{ allowedOrigins: ['https://example.com', 'http://localhost:3000', 'https://b.example'] }]);
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
    expect(screen.getByText('Not an origin: example.com, https://b.example/path. Enter scheme and host, such as https://example.com or http://localhost:3000, without a path.')).toBeInTheDocument();
    expect([...document.querySelectorAll('[data-wrong]')].map((pill) => pill.textContent)).toEqual(['example.com', 'https://b.example/path']);
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

  test('a warning stands beside them while visitors could spend without an end, or do more than call', async () => {
    showForm();
    await screen.findByRole('textbox', { name: 'Name' });
    expect(screen.queryByText(WARNING)).not.toBeInTheDocument();
    await paste('https://a.example');
    expect(screen.getByText(WARNING)).toBeInTheDocument();
    await userEvent.type(screen.getByRole('textbox', { name: 'Spending in all' }), '5');
    expect(screen.queryByText(WARNING)).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Read' }));
    expect(screen.getByText(WARNING)).toBeInTheDocument();
  });

  test('the field links to how they work', async () => {
    showForm();
    expect(await screen.findByRole('link', { name: 'How calls from a browser work' })).toHaveAttribute('href', '/docs/limits#calls-from-web-pages-cors-allowed-origins');
  });
});

test('pasted addresses to write to are several, and a model with a space in its name is one', async () => {
  showForm();
  await screen.findByRole('textbox', { name: 'Name' });
  await paste('a@example.org\nb@example.org', 'Tell by e-mail');
  await paste('gpt x\ngpt-y', 'Language models');
  expect(pills()).toEqual(['gpt x', 'gpt-y', 'a@example.org', 'b@example.org']);
});
