import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { AddServer } from './AddServer';

const GROUP = `/api/mlpcore/account/${ANN.accountId}/resource-groups/mine/server`;
const TEMPLATE = {
  id: 5,
  ownerId: ANN.accountId,
  name: 'Own one',
  capacity: { cpu: '1', memory: '2Gi', disk: '3Gi', gpuModels: [] },
  tarifficationPrice: 3,
  tarifficationPeriod: 'DAY',
  currency: 'RUBLE',
};

/** Shows the form and keeps what it sends. */
function open(templates: object[] = []): unknown[] {
  const sent: unknown[] = [];
  signedIn();
  answers(`${GROUP}/template`, templates as never);
  server.use(
    http.post(
      `*${GROUP}`,
      async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ enrolmentToken: 'token-1' })),
    ),
  );
  show(<AddServer account={String(ANN.accountId)} groupName="mine" onDone={() => undefined} />);
  return sent;
}

const named = async (name: string) =>
  userEvent.type(await screen.findByRole('textbox', { name: 'Name of the server' }), name);
const add = () => userEvent.click(screen.getByRole('button', { name: 'Add a server' }));

test('a server by fields is one that stays', async () => {
  const sent = open();
  await named('s1');
  await add();
  expect(await screen.findByText('Copy this now')).toBeInTheDocument();
  expect(sent).toEqual([{ serverName: 's1', rawConfiguration: '{"provider":"hosting_server"}' }]);
});

test('a template is chosen among those of the account and of the platform', async () => {
  const sent = open([TEMPLATE, { ...TEMPLATE, id: 6, ownerId: 1, name: 'Public one', capacity: null }]);
  await named('s1');
  await userEvent.click(screen.getByRole('radio', { name: 'Template' }));
  await userEvent.click(await screen.findByRole('combobox', { name: 'Template' }));
  expect(await screen.findByText('Of the platform')).toBeInTheDocument();
  await userEvent.click(await screen.findByRole('option', { name: 'Own one' }));
  expect(await screen.findByText(/1 core, 2 GiB of memory, 3 GiB of disk/)).toHaveTextContent('3.00');
  await add();
  await waitFor(() => expect(sent).toEqual([{ serverName: 's1', templateId: 5 }]));
});

test('without a chosen template nothing is sent', async () => {
  const sent = open([TEMPLATE]);
  await named('s1');
  await userEvent.click(screen.getByRole('radio', { name: 'Template' }));
  await screen.findByRole('combobox', { name: 'Template' });
  await add();
  expect(await screen.findByText('This field is required')).toBeInTheDocument();
  expect(sent).toEqual([]);
});

test('who has no templates is led to their page', async () => {
  open([]);
  await userEvent.click(await screen.findByRole('radio', { name: 'Template' }));
  expect(await screen.findByRole('link', { name: 'Create one' })).toHaveAttribute(
    'href',
    '/workspace/server-templates',
  );
});

test('templates that cannot be read say why', async () => {
  open();
  answers(`${GROUP}/template`, refusal('account.access.denied', 403), 403);
  await userEvent.click(await screen.findByRole('radio', { name: 'Template' }));
  expect(await screen.findByText('No access to this account')).toBeInTheDocument();
});

test('a temporary server by text has its lifetime', async () => {
  const sent = open();
  await named('s1');
  await userEvent.click(screen.getByRole('radio', { name: 'YAML' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Configuration (YAML)' }), 'maxInstances: 2');
  await userEvent.type(screen.getByRole('textbox', { name: 'Temporary server: lifetime in minutes' }), '90');
  await add();
  const rawConfiguration = 'provider: hosting_server\nmaxInstances: 2';
  await waitFor(() =>
    expect(sent).toEqual([{ serverName: 's1', rawConfiguration, maxServerLifetimeMinutes: 90, isTemporary: true }]),
  );
});

test('what is wrong with the text stands at it', async () => {
  open();
  const refused = {
    ...refusal('mlp.core.validation_error', 400),
    args: { rawConfiguration: 'is not YAML' },
    violations: [{ path: 'rawConfiguration', rule: 'yaml', args: {} }],
  };
  server.use(http.post(`*${GROUP}`, () => HttpResponse.json(refused, { status: 400 })));
  await named('s1');
  await userEvent.click(screen.getByRole('radio', { name: 'YAML' }));
  await add();
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Configuration (YAML)' })).toBeInvalid());
});
