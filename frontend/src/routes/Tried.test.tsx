import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { exampleOf, modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn, signedOut } from '@/testing/server';
import { firstRequest, MODEL, SCHEMA, service } from '@/testing/tried';

import { Tried } from './Tried';

beforeEach(() => answers('/api/mlpcore/system-config/task-types', []));

test('the first request of a custom service is the first example of its author', async () => {
  signedIn();
  service({ examples: [exampleOf(1, { request: '{"text": "two words"}' }), exampleOf(2)], schema: SCHEMA });
  show(<Tried model={modelOf()} account="acme" />);
  expect(await firstRequest()).toEqual({ text: 'two words' });
});

test('without examples it follows from the schema of the service', async () => {
  signedIn();
  service({ schema: SCHEMA });
  show(<Tried model={modelOf()} account="acme" />);
  expect(await firstRequest()).toEqual({ text: 'string' });
});

test('without a schema it is empty, and never the request of another service', async () => {
  signedIn();
  service();
  show(<Tried model={modelOf()} account="acme" />);
  expect(await firstRequest()).toEqual({});
});

test('the result says what the call cost and what its time was spent on', async () => {
  signedIn();
  service();
  show(<Tried model={modelOf()} account="acme" />);
  await firstRequest();
  expect(screen.getByTestId('cost')).toHaveTextContent('the call cost 0.25 ₽ · 1 unit');
  expect(screen.getByTestId('time')).toHaveTextContent('service 4 ms');
});

test('a visitor sees a recorded answer without a call', async () => {
  signedOut();
  service({
    examples: [
      exampleOf(1, { request: '{"text": "one"}' }),
      exampleOf(2, { name: 'Words', request: '{"text": "two"}', answer: '{"words": 7}' }),
    ],
  });
  show(<Tried model={modelOf()} account="acme" />);
  const recorded = await screen.findByTestId('recorded');
  expect(recorded).toHaveTextContent('"text": "two"');
  await waitFor(() => expect(recorded).toHaveTextContent('"words": 7'));
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeInTheDocument();
});

test('hostile text of an example stays text', async () => {
  signedOut();
  service({
    examples: [
      exampleOf(1, { request: '{"t": "<img src=x onerror=alert(1)>"}', answer: '"<script>alert(1)</script>"' }),
    ],
  });
  show(<Tried model={modelOf()} account="acme" />);
  const recorded = await screen.findByTestId('recorded');
  await waitFor(() => expect(recorded).toHaveTextContent('<script>alert(1)</script>'));
  expect(recorded.querySelector('script, img')).toBeNull();
});

test('the owner saves a call as an example, with its answer', async () => {
  signedIn({ accountId: 9 });
  service({ schema: SCHEMA });
  const saved: unknown[] = [];
  server.use(
    http.post(
      `*${MODEL}/example`,
      async ({ request }) => (saved.push(await request.json()), HttpResponse.json(exampleOf(1))),
    ),
  );
  show(<Tried model={modelOf()} account="acme" />);
  await firstRequest();
  await userEvent.click(screen.getByRole('button', { name: 'Save as example' }));
  const form = within(await screen.findByRole('dialog'));
  await userEvent.type(form.getByRole('textbox', { name: 'Name' }), 'Words');
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(saved).toEqual([{ name: 'Words', request: '{"text":"string"}', answer: '{"words":2}' }]));
});

test('the owner moves, renames and deletes examples; the form is refilled by a press', async () => {
  signedIn({ accountId: 9 });
  service({
    examples: [
      exampleOf(1, { name: 'Short', request: '{"text": "a"}' }),
      exampleOf(2, { name: 'Long', request: '{"text": "a b c"}' }),
    ],
  });
  const changed: unknown[] = [];
  server.use(
    http.post(
      `*${MODEL}/example/:id`,
      async ({ request, params }) => (changed.push([params.id, await request.json()]), HttpResponse.json(exampleOf(1))),
    ),
    http.delete(
      `*${MODEL}/example/:id`,
      ({ params }) => (changed.push([params.id, 'deleted']), new HttpResponse(null)),
    ),
  );
  show(<Tried model={modelOf()} account="acme" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Long' }));
  expect(await firstRequest()).toEqual({ text: 'a b c' });
  await userEvent.click(screen.getByRole('button', { name: 'Edit examples' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Move up: Long' }));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name: Short' }), 'er{Tab}');
  await waitFor(() => expect(changed).toHaveLength(2));
  await userEvent.click(dialog.getByRole('button', { name: 'Delete example: Long' }));
  await waitFor(() =>
    expect(changed).toEqual([
      ['2', { position: 0 }],
      ['1', { name: 'Shorter' }],
      ['2', 'deleted'],
    ]),
  );
});

test('what the server refuses of an example is told', async () => {
  signedIn({ accountId: 9 });
  service();
  server.use(
    http.post(`*${MODEL}/example`, () =>
      HttpResponse.json(refusal('mlp.core.example_limit_exceeded', 403), { status: 403 }),
    ),
  );
  show(<Tried model={modelOf()} account="acme" />);
  await firstRequest();
  await userEvent.click(screen.getByRole('button', { name: 'Save as example' }));
  const form = within(await screen.findByRole('dialog'));
  await userEvent.type(form.getByRole('textbox', { name: 'Name' }), 'Words');
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(await form.findByRole('alert')).toHaveTextContent('The service has as many examples as it may');
});

test('a caller of another account cannot save examples', async () => {
  signedIn();
  service();
  show(<Tried model={modelOf()} account="acme" />);
  await firstRequest();
  expect(screen.queryByRole('button', { name: 'Save as example' })).not.toBeInTheDocument();
});

test('a service that takes a file asks for one before a run', async () => {
  signedIn();
  service();
  show(<Tried model={modelOf({ taskType: 'asr' })} account="acme" />);
  expect(await screen.findByText('Choose or record audio first.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Run' })).toBeDisabled();
});

test('a visitor calls a service that is open to visitors from its own page', async () => {
  signedOut();
  service({ examples: [exampleOf(1, { request: '{"text": "two words"}' })] });
  const sent: unknown[] = [];
  server.use(
    http.post(
      '*/api/mlpgateway/account/acme/model/counter/try',
      async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ words: 2 })),
    ),
  );
  const open = modelOf();
  show(<Tried model={{ ...open, publicSettings: { ...open.publicSettings, visitorCallsPerDay: 5 } }} account="acme" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Call it' }));
  expect(await screen.findByText(/^Answered in/)).toBeVisible();
  expect(sent).toEqual([{ text: 'two words' }]);
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeVisible();
});

test('a visitor finds no form where calls of visitors are not allowed', async () => {
  signedOut();
  service();
  show(<Tried model={modelOf()} account="acme" />);
  expect(await screen.findByRole('link', { name: 'Sign in' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Call it' })).toBeNull();
});
