import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { KeyForm } from './KeyForm';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
const TOKENS = '*/api/mlpcore/account/5/token';

function showForm() {
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/models', PAGE);
  const created = vi.fn<(token: string) => void>();
  show(<KeyForm account="5" edited={null} onCreated={created} onChanged={() => undefined} />);
  return created;
}

test('a key needs a name', async () => {
  showForm();
  await userEvent.click(await screen.findByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
});

test('the secret is handed on once, with the limits that were set', async () => {
  const sent: unknown[] = [];
  server.use(http.post(TOKENS, async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' }))));
  const created = showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.type(screen.getByRole('textbox', { name: 'Calls at most' }), '20');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await waitFor(() => expect(created).toHaveBeenCalledWith('5.1.secret'));
  expect(sent).toMatchObject([{ name: 'mine', permissions: ['predict'], requestLimit: 20, requestLimitPeriod: 'MINUTE', spendingLimits: null }]);
});

test('what the server says of a field stands at the field of the form', async () => {
  server.use(http.post(TOKENS, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400), args: { maxLifetime: 'is too long' } }, { status: 400 })));
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText('is too long')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Expires after' })).toBeInvalid();
});

test('the origins of a key are sent, and a wrong one stands at their field', async () => {
  const sent: unknown[] = [];
  const message = 'use an origin such as https://example.com or http://localhost:3000, or *';
  const wrong = { ...refusal('mlp.core.validation_error', 400), args: { 'allowedOrigins.1': message }, violations: [{ path: 'allowedOrigins.1', rule: 'web_origin', args: {} }] };
  server.use(http.post(TOKENS, async ({ request }) => (sent.push(await request.json()), HttpResponse.json(wrong, { status: 400 }))));
  showForm();
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'mine');
  const origins = screen.getByRole('combobox', { name: 'Allowed origins' });
  await userEvent.type(origins, 'https://example.com{Enter}example.com');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  expect(await screen.findByText(/Enter an origin such as/)).toBeInTheDocument();
  expect(origins.closest('.mantine-TagsInput-root')).toHaveTextContent('Enter an origin such as');
  expect(sent).toMatchObject([{ allowedOrigins: ['https://example.com', 'example.com'] }]);
});
