import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { refusal, server } from '@/testing/server';

import { requestBody } from './forms';
import RequestModal from './RequestModal';

test('a name stands beside the contacts, a question is what is wanted', () => {
  expect(requestBody({ name: ' Ann ', contacts: 'ann@example.org', comment: '', question: 'how? ' })).toEqual({
    contacts: 'Ann, ann@example.org',
    comment: 'how?',
  });
  expect(requestBody({ name: '', contacts: '1', comment: '', question: '' })).toEqual({ contacts: '1', comment: null });
});

const close = vi.fn<() => void>();

test('contacts are required', async () => {
  show(<RequestModal name="demo" about={null} account={null} onClose={close} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Send' }));
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
});

test('a sent message is confirmed in two paragraphs', async () => {
  let sent: unknown;
  server.use(
    http.post('*/api/mlpcore/sendContactRequest', async ({ request }) => {
      sent = await request.json();
      return new HttpResponse(null);
    }),
  );
  show(<RequestModal name="contact" about={null} account={null} onClose={close} />);
  await userEvent.type(await screen.findByLabelText(/How to reach you/), 'ann@example.org');
  await userEvent.type(screen.getByLabelText('Question'), 'how?');
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('Thank you. Your message has reached the team.')).toBeInTheDocument();
  expect(screen.getByText('We will answer to the contacts that you gave.')).toBeInTheDocument();
  expect(sent).toEqual({ contacts: 'ann@example.org', comment: 'how?', kind: 'contact' });
});

test('a request for access names the feature, and closes with a toast', async () => {
  close.mockClear();
  let feature: unknown;
  server.use(
    http.post('*/api/mlpcore/account/5/management/:feature', ({ params }) => {
      feature = params.feature;
      return new HttpResponse(null);
    }),
  );
  show(<RequestModal name="access" about="mlp.public_model_admin" account="5" onClose={close} />);
  await userEvent.type(await screen.findByLabelText(/How to reach you/), 'ann@example.org');
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(close).toHaveBeenCalled());
  expect(feature).toBe('mlp.public_model_admin');
  expect(await screen.findByText('The request is sent')).toBeInTheDocument();
});

test('what is refused is said above the form', async () => {
  server.use(
    http.post('*/api/mlpcore/sendContactRequest', () =>
      HttpResponse.json(refusal('mlp.core.too_many', 429, 'wait a minute'), { status: 429 }),
    ),
  );
  show(<RequestModal name="demo" about={null} account={null} onClose={close} />);
  await userEvent.type(await screen.findByLabelText(/How to reach you/), 'x');
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('wait a minute');
});
