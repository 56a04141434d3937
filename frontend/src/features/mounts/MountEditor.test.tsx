import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { SaveScope } from '@/components/settings/SaveScope';
import { show } from '@/testing/render';
import { ANN, refusal, server, signedIn } from '@/testing/server';

import { MountEditor } from './MountEditor';

const PATH = `*/api/mlpcore/account/${ANN.accountId}/model/greeting`;
const MODEL = { modelName: 'greeting', persistentVolumes: [{ pvId: 7, mountPath: '/data', sizeInGb: 5, storageClass: 'fast' }], dataImageMounts: [] } as unknown as ModelInfoData;

function open(readOnly = false) {
  signedIn();
  show(<SaveScope><MountEditor account={String(ANN.accountId)} model={MODEL} readOnly={readOnly} /></SaveScope>);
}

const row = (name: string) => within(screen.getByRole('group', { name }));
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

test('a volume is added beside the others, whose ids stay', async () => {
  let sent: unknown;
  open();
  server.use(http.post(PATH, async ({ request }) => ((sent = await request.json()), HttpResponse.json(MODEL))));
  await userEvent.click(await screen.findByRole('button', { name: 'Add a mount' }));
  await userEvent.type(row('New mount').getByRole('textbox', { name: 'Path in the container' }), '/models');
  await save();
  const added = { mountPath: '/models', sizeInGb: 10, storageClass: 'standard' };
  await waitFor(() => expect(sent).toEqual({ modelName: 'greeting', persistentVolumes: [...MODEL.persistentVolumes, added], dataImageMounts: [] }));
});

test('a path is checked in place, and a row with a fault is not sent', async () => {
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Add a mount' }));
  await save();
  expect(row('New mount').getByText(/A path from the root/)).toBeInTheDocument();
  await userEvent.type(row('New mount').getByRole('textbox', { name: 'Path in the container' }), '/data');
  expect(screen.getAllByText('This path is taken')).toHaveLength(2);
});

test('an error of the server stands at the row that it names', async () => {
  open();
  const args = { 'dataImageMounts.0.dataImageId': 'not found' };
  server.use(http.post(PATH, () => HttpResponse.json({ ...refusal('mlp.core.validation_error', 400, 'bad input'), args }, { status: 400 })));
  await userEvent.selectOptions((await screen.findAllByRole('combobox', { name: 'Kind' }))[0] as HTMLElement, 'dataImage');
  await userEvent.type(row('/data').getByRole('textbox', { name: 'Account id' }), '1');
  await userEvent.type(row('/data').getByRole('textbox', { name: 'Image id' }), '2');
  await save();
  expect(await row('/data').findByText('not found')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});

test('another kind and back costs nothing of what was typed', async () => {
  open();
  const kind = () => row('/data').getByRole('combobox', { name: 'Kind' });
  await screen.findByRole('group', { name: '/data' });
  await userEvent.selectOptions(kind(), 'dataImage');
  await userEvent.selectOptions(kind(), 'volume');
  expect(row('/data').getByRole('textbox', { name: 'Size' })).toHaveValue('5');
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});

test('without the role nothing can be changed', async () => {
  open(true);
  expect(await screen.findByRole('group', { name: '/data' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Add a mount' })).not.toBeInTheDocument();
  expect(row('/data').getByRole('textbox', { name: 'Path in the container' })).toHaveAttribute('readonly');
});
