import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { origins, paste, pills, showForm, takesKeys, TOKENS } from '@/testing/keyForm';
import { refusal, server } from '@/testing/server';

test('a key needs a name', async () => {
  showForm();
  await userEvent.click(await screen.findByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus();
});

test('a permission says its name in the API and what it allows', async () => {
  showForm();
  expect(await screen.findByRole('checkbox', { name: 'Call' })).toHaveAccessibleDescription('predict call services');
  expect(screen.getByText('predict')).toHaveProperty('tagName', 'CODE');
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
  server.use(
    http.post(
      TOKENS,
      async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' })),
    ),
  );
  const created = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.type(screen.getByRole('textbox', { name: 'Calls at most' }), '20');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(created).toHaveBeenCalledWith({ token: '5.1.secret' }));
  expect(sent).toMatchObject([
    { name: 'mine', permissions: ['predict'], requestLimit: 20, requestLimitPeriod: 'MINUTE', spendingLimits: null },
  ]);
});

test('what the server says of a field stands at the field of the form', async () => {
  server.use(
    http.post(TOKENS, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { maxLifetime: 'is too long' } },
        { status: 400 },
      ),
    ),
  );
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
  expect(screen.getByText('Choose at least one')).toBeInTheDocument();
});

test('different errors of the entries of a list are all said at its field, and equal ones once', async () => {
  const paths = ['allowedOrigins.0', 'allowedOrigins.1', 'allowedOrigins.2'];
  const rules = [
    ['web_origin', {}],
    ['web_origin', {}],
    ['too_long', { max: '300' }],
  ] as const;
  const violations = paths.map((path, at) => ({ path, rule: rules[at]?.[0], args: rules[at]?.[1] }));
  server.use(
    http.post(TOKENS, () =>
      HttpResponse.json(
        {
          ...refusal('mlp.core.validation_error', 400),
          args: Object.fromEntries(paths.map((path) => [path, 'raw'])),
          violations,
        },
        { status: 400 },
      ),
    ),
  );
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await paste('https://a.example https://b.example https://c.example');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(
    await screen.findByText(
      "This is not a website's origin. Write https://example.com or http://localhost:3000, without a path; or * for any site. Subdomains: list each one. Too long. Characters at most: 300.",
    ),
  ).toBeInTheDocument();
  expect(origins()).toBeInvalid();
  expect(origins()).toHaveFocus();
});

test('an error of one address to write to stands at their field', async () => {
  server.use(
    http.post(TOKENS, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { 'notificationEmails.1': 'is wrong' } },
        { status: 400 },
      ),
    ),
  );
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('is wrong')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('pasted addresses to write to are several, and a model with a space in its name is one', async () => {
  showForm();
  await screen.findByRole('textbox', { name: 'Name' });
  await paste('a@example.org\nb@example.org', 'Tell by e-mail');
  await paste('gpt x\ngpt-y', 'Language models');
  expect(pills()).toEqual(['gpt x', 'gpt-y', 'a@example.org', 'b@example.org']);
});

test('each wrong address to write to is marked and named at once, and the key is not created', async () => {
  const sent = takesKeys();
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  const emails = screen.getByRole('textbox', { name: 'Tell by e-mail' });
  expect(emails).toHaveAttribute('placeholder', 'name@example.com');
  await paste('a@example.org b@example c.example.org', 'Tell by e-mail');
  expect(
    screen.getByText('Not an e-mail address: b@example, c.example.org. Enter addresses such as name@example.com.'),
  ).toBeInTheDocument();
  expect([...document.querySelectorAll('[data-wrong]')].map((pill) => pill.textContent)).toEqual([
    'b@example',
    'c.example.org',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(emails).toHaveFocus();
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Remove b@example (not valid)' }));
  await userEvent.click(screen.getByRole('button', { name: 'Remove c.example.org (not valid)' }));
  expect(emails).toBeValid();
});
