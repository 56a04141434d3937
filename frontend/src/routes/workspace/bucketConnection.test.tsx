import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { object, openBucket, PAGE, PATH, TOP } from '@/testing/bucket';
import { answers, refusal, server } from '@/testing/server';

const CREDENTIALS = {
  s3Url: 'https://s3.example.org',
  accessKey: 'AKIA1',
  secretKey: 'very/secret+key',
  bucketName: 'acme-1',
};

function keys() {
  const state = { reads: 0, secret: CREDENTIALS.secretKey };
  server.use(
    http.get(`*${PATH}`, () => ((state.reads += 1), HttpResponse.json({ ...CREDENTIALS, secretKey: state.secret }))),
    http.post(
      `*${PATH}/rotate`,
      () => ((state.secret = 'another key'), HttpResponse.json({ ...CREDENTIALS, secretKey: state.secret })),
    ),
  );
  return state;
}

const openPanel = async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'How to connect' }));
  return within(await screen.findByRole('dialog', { name: 'How to connect' }));
};

test('the secret key is asked for when the panel is opened, and shown on request', async () => {
  const state = keys();
  openBucket({ '': TOP });
  await screen.findByRole('link', { name: 'readme.txt' });
  expect(state.reads).toBe(0);
  const panel = await openPanel();
  for (const text of ['https://s3.example.org', 'acme-1', 'AKIA1'])
    expect(await panel.findByText(text)).toBeInTheDocument();
  expect(panel.getByRole('link', { name: 'What programs can do with the bucket' })).toHaveAttribute(
    'href',
    '/docs/buckets',
  );
  expect(screen.queryByText(CREDENTIALS.secretKey)).not.toBeInTheDocument();
  await userEvent.click(panel.getByRole('button', { name: 'Show the secret key' }));
  expect(panel.getByText(CREDENTIALS.secretKey)).toBeInTheDocument();
  await userEvent.click(panel.getByRole('button', { name: 'Hide the secret key' }));
  expect(screen.queryByText(CREDENTIALS.secretKey)).not.toBeInTheDocument();
});

test('a hidden secret key is copied', async () => {
  keys();
  const user = userEvent.setup();
  openBucket({ '': TOP });
  const panel = await openPanel();
  await user.click(
    within((await panel.findByText('Secret key')).parentElement as HTMLElement).getByRole('button', { name: 'Copy' }),
  );
  await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(CREDENTIALS.secretKey));
});

test('a new secret key replaces the old one after a question', async () => {
  keys();
  openBucket({ '': TOP });
  const panel = await openPanel();
  await userEvent.click(await panel.findByRole('button', { name: 'Show the secret key' }));
  await userEvent.click(panel.getByRole('button', { name: 'Replace the secret key' }));
  const question = within(await screen.findByRole('dialog', { name: 'Replace the secret key?' }));
  expect(question.getByText(/stop working at once/)).toBeInTheDocument();
  await userEvent.click(question.getByRole('button', { name: 'Replace the key' }));
  expect(await panel.findByText('another key')).toBeInTheDocument();
  expect(screen.queryByText(CREDENTIALS.secretKey)).not.toBeInTheDocument();
});

test('commands are for the open folder, with the secret key only on request', async () => {
  keys();
  openBucket({ 'raw/': { folders: [], objects: [object('raw/a.csv')] } }, { path: `${PAGE}?prefix=raw%2F` });
  const panel = await openPanel();
  await userEvent.click(await panel.findByRole('button', { name: 'Commands for aws-cli' }));
  const modal = within(await screen.findByRole('dialog', { name: 'Commands for aws-cli' }));
  expect(modal.getByText('aws s3 ls s3://acme-1/raw/')).toBeInTheDocument();
  expect(modal.getByText(/AWS_SECRET_ACCESS_KEY='<secret key>'/)).toBeInTheDocument();
  await userEvent.click(modal.getByRole('switch', { name: 'With the secret key' }));
  expect(modal.getByText(/AWS_SECRET_ACCESS_KEY=very\/secret\+key/)).toBeInTheDocument();
});

test('a refusal is said in the panel', async () => {
  openBucket({ '': TOP });
  answers(PATH, refusal('mlp.core.access_denied', 403), 403);
  expect(await (await openPanel()).findByRole('alert')).toBeInTheDocument();
});
