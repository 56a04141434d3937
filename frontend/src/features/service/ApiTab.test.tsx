import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { exampleOf, modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, server, signedIn, signedOut } from '@/testing/server';

import { ApiTab } from './ApiTab';

const PATH = '/catalog/acme/counter/api';
const MODEL = '/api/mlpcore/account/acme/model/counter';
const TOKENS = '/api/mlpcore/account/1000000001/token';
const SCHEMA = JSON.stringify({
  methods: {
    predict: {
      input: {
        data: {
          type: 'object',
          required: ['spec'],
          properties: { spec: { type: 'object', properties: { rate: { type: 'integer', description: 'In hertz' } } } },
        },
      },
    },
  },
});
const KEY = {
  name: 'mine',
  token: '1000000001.7.****abcd',
  permissions: ['predict'],
  allowedServices: null,
  expiresAt: null,
};

beforeEach(() => {
  answers(`${MODEL}/example`, [exampleOf(1, { request: '{"text": "from the author"}' })]);
  answers(`${MODEL}/action-descriptor`, {
    name: 'counter',
    schemaFiles: [{ name: 'schema', content: SCHEMA }],
    fittable: false,
    methods: {},
  });
});

const code = () => screen.getByLabelText('curl', { selector: 'pre' }).textContent;

test('a visitor reads a snippet with a variable and the first example', async () => {
  signedOut();
  show(<ApiTab account="acme" model={modelOf()} />, { path: PATH });
  expect(await screen.findByLabelText('curl', { selector: 'pre' })).toHaveTextContent('"MLP-API-KEY: $MLP_API_KEY"');
  expect(code()).toContain('{"text":"from the author"}');
  expect(await screen.findByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    `/c/login?redirectUrl=${encodeURIComponent(PATH)}`,
  );
});

test('parameters inside an object are rows of their own', async () => {
  signedOut();
  show(<ApiTab account="acme" model={modelOf()} />, { path: PATH });
  expect(await screen.findByRole('row', { name: /spec\.rate.*integer.*In hertz/ })).toBeInTheDocument();
});

test('a chosen key is named, and its masked secret is never in the code', async () => {
  signedIn();
  answers(TOKENS, [KEY]);
  show(<ApiTab account="acme" model={modelOf()} />, { path: PATH });
  await userEvent.click(await screen.findByRole('combobox', { name: 'Key' }));
  await userEvent.click(await screen.findByRole('option', { name: 'mine', hidden: true }));
  expect(screen.getByTestId('key-hint')).toHaveTextContent(
    'Put the secret of the key “mine” into the variable MLP_API_KEY',
  );
  expect(code()).toContain('$MLP_API_KEY');
  expect(code()).not.toContain('****');
});

test('a key that is created here is in the code at once, and another choice removes it', async () => {
  signedIn();
  answers(TOKENS, [KEY]);
  const sent: unknown[] = [];
  server.use(
    http.post(`*${TOKENS}`, async ({ request }) => {
      sent.push(await request.json());
      answers(TOKENS, [KEY, { ...KEY, name: 'counter', token: '1000000001.8.****wxyz' }]);
      return HttpResponse.json({ ...KEY, name: 'counter', token: '1000000001.8.secret' });
    }),
  );
  show(<ApiTab account="acme" model={modelOf()} />, { path: PATH });
  await userEvent.click(await screen.findByRole('button', { name: 'Create a key' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Create' }));
  await waitFor(() => expect(code()).toContain('MLP-API-KEY: 1000000001.8.secret'));
  expect(sent).toEqual([
    { name: 'counter', permissions: ['predict'], allowedServices: [{ accountId: 9, modelId: 3 }] },
  ]);
  expect(screen.getByLabelText('New key')).toHaveTextContent('1000000001.8.secret');
  await userEvent.click(screen.getByRole('combobox', { name: 'Key' }));
  await userEvent.click(await screen.findByRole('option', { name: 'mine', hidden: true }));
  expect(code()).toContain('$MLP_API_KEY');
});

test('a key with limits is created on its page, which leads back here', async () => {
  signedIn();
  answers(TOKENS, []);
  show(<ApiTab account="acme" model={modelOf()} />, { path: PATH });
  expect(await screen.findByRole('link', { name: 'A key with limits' })).toHaveAttribute(
    'href',
    `/workspace/api-keys?new=1&back=${encodeURIComponent(PATH)}`,
  );
});
