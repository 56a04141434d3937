import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ServerTemplateData } from '@/api/generated/core.gen';
import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { ServerTemplatesPage } from './ServerTemplatesPage';

const PATH = `/api/mlpcore/account/${ANN.accountId}/server/template`;
const TEMPLATE: ServerTemplateData = {
  id: 1,
  ownerId: ANN.accountId ?? 0,
  name: 'Two GPUs',
  type: 'HOSTING_SERVER',
  capacity: { cpu: '8', memory: '32Gi', disk: '200Gi', gpuModels: ['L4', 'L4'] },
  description: 'For training',
  rawConfiguration: 'provider: hosting_server\nlabels: {zone: a}\n',
  tarifficationPrice: 1.5,
  tarifficationPeriod: 'HOUR',
  internalTemplateName: 'vendor-1',
  username: 'root',
  costPrice: 1,
  publicPrice: null,
  publicPricePeriod: null,
  currency: 'RUBLE',
};
const PUBLIC: ServerTemplateData = {
  ...TEMPLATE,
  id: 2,
  ownerId: 1,
  name: 'Small',
  capacity: null,
  tarifficationPrice: 0,
  internalTemplateName: null,
  username: null,
  costPrice: null,
  publicPrice: 0,
  publicPricePeriod: 'HOUR',
};

function Known() {
  return useSession().state === 'signed-in' ? <ServerTemplatesPage /> : null;
}

function open(own: ServerTemplateData[] = [TEMPLATE], published: ServerTemplateData[] = []) {
  signedIn();
  answers(PATH, own as never);
  answers(`${PATH}/public`, published as never);
  show(<Known />);
}

/** Keeps what is sent there, and answers with a template. */
function takes(path: string): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.post(`*${path}`, async ({ request }) => (sent.push(await request.json()), HttpResponse.json(TEMPLATE))),
  );
  return sent;
}

test('shows what a server of a template has and costs', async () => {
  open();
  const row = within(await screen.findByRole('row', { name: /Two GPUs/ }));
  expect(row.getByText('For training')).toBeInTheDocument();
  expect(row.getByText('8 cores, 32 GiB of memory, 200 GiB of disk, 2 × L4')).toBeInTheDocument();
  expect(row.getByRole('cell', { name: '1.50\u00a0₽ an hour' })).toBeInTheDocument();
  expect(screen.queryByRole('heading', { name: 'Of the platform, for you to use' })).not.toBeInTheDocument();
});

test('templates of the platform can be copied, and not changed', async () => {
  open([], [PUBLIC]);
  expect(await screen.findByText('No templates of your own')).toBeInTheDocument();
  const list = await screen.findByRole('table', { name: 'Of the platform, for you to use' });
  expect(within(list).getByText('Free')).toBeInTheDocument();
  expect(within(list).queryByRole('button', { name: /Change|Delete/ })).not.toBeInTheDocument();
  const sent = takes(PATH);
  await userEvent.click(within(list).getByRole('button', { name: 'Copy Small' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Copy Small' }));
  expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Small (copy)');
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent).toMatchObject([{ name: 'Small (copy)', capacity: null, tarifficationPrice: 0 }]));
  expect(await screen.findByText('Server template copied')).toBeInTheDocument();
});

test('a new one is sent with what was filled in', async () => {
  open([]);
  const sent = takes(PATH);
  await userEvent.click(await screen.findByRole('button', { name: 'Create the first template' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), ' Mine ');
  await userEvent.type(dialog.getByRole('textbox', { name: 'CPU, cores' }), '4');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Memory' }), '8Gi');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Disk' }), '1Ti');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Models of the GPUs' }), 'L4, L4,');
  await userEvent.clear(dialog.getByRole('textbox', { name: 'Price' }));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Price' }), '2.5');
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(sent).toEqual([
      {
        name: 'Mine',
        type: 'HOSTING_SERVER',
        description: '',
        rawConfiguration: 'provider: hosting_server\n',
        capacity: { cpu: '4', memory: '8Gi', disk: '1Ti', gpuModels: ['L4', 'L4'] },
        tarifficationPrice: 2.5,
        tarifficationPeriod: 'HOUR',
        costPrice: null,
        currency: 'RUBLE',
        internalTemplateName: null,
        username: null,
      },
    ]),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

test('one without a name is not sent', async () => {
  open([]);
  const sent = takes(PATH);
  await userEvent.click(await screen.findByRole('button', { name: 'Create a template' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
  expect(await dialog.findByText('This field is required')).toBeInTheDocument();
  expect(sent).toEqual([]);
});

test('a change begins with all that the template has, and loses nothing', async () => {
  open();
  const sent = takes(`${PATH}/1`);
  await userEvent.click(await screen.findByRole('button', { name: 'Change Two GPUs' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  const { id: _, ownerId: __, publicPrice: ___, publicPricePeriod: ____, ...rest } = TEMPLATE;
  await waitFor(() => expect(sent).toEqual([rest]));
});

test('what is wrong is said at its field', async () => {
  open([]);
  const paths = { 'capacity.memory': 'quantity', 'rawConfiguration.provider': 'required', name: 'one_line' };
  const refused = {
    ...refusal('mlp.core.validation_error', 400),
    args: Object.fromEntries(Object.keys(paths).map((path) => [path, 'wrong'])),
    violations: Object.entries(paths).map(([path, rule]) => ({ path, rule, args: {} })),
  };
  server.use(http.post(`*${PATH}`, () => HttpResponse.json(refused, { status: 400 })));
  await userEvent.click(await screen.findByRole('button', { name: 'Create a template' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'n');
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(dialog.getByRole('textbox', { name: 'Memory' })).toBeInvalid());
  expect(dialog.getByRole('textbox', { name: 'Configuration (YAML)' })).toBeInvalid();
  expect(dialog.getByRole('textbox', { name: 'Name' })).toBeInvalid();
  expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
});

test('one is deleted after a question that says what stays', async () => {
  let deleted = false;
  open();
  server.use(http.delete(`*${PATH}/1`, () => ((deleted = true), new HttpResponse(null, { status: 200 }))));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete Two GPUs' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('Servers that were made from it stay as they are.')).toBeInTheDocument();
  expect(deleted).toBe(false);
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(deleted).toBe(true));
});

test('who may not see them reads why', async () => {
  signedIn();
  answers(PATH, refusal('account.access.denied', 403), 403);
  answers(`${PATH}/public`, [], 200);
  show(<Known />);
  expect(await screen.findByText('No access to this account')).toBeInTheDocument();
});
