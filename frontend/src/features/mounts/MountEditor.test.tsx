import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { SaveScope } from '@/components/settings/SaveScope';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { MountEditor } from './MountEditor';

const PATH = `*/api/mlpcore/account/${ANN.accountId}/model/greeting`;
const MODEL = {
  modelName: 'greeting',
  persistentVolumes: [{ pvId: 7, mountPath: '/data', sizeInGb: 5, storageClass: 'fast' }],
  dataImageMounts: [],
} as unknown as ModelInfoData;

const ACCOUNT = `/api/mlpcore/account/${ANN.accountId}`;
const WEIGHTS = {
  id: { accountId: 30, imageId: 4 },
  name: 'weights',
  imageAccountName: 'globex',
  image: '',
  sourcePath: '/models',
  accessMode: 'restricted',
};
const TEXTS = {
  id: { accountId: ANN.accountId, imageId: 5 },
  name: 'texts',
  imageAccountName: 'acme',
  image: 'registry.example.org/texts:1',
  sourcePath: '/texts',
  accessMode: 'private',
};

function open({ readOnly = false, model = MODEL }: { readOnly?: boolean; model?: ModelInfoData } = {}) {
  signedIn();
  server.use(
    http.get(`*${ACCOUNT}/data-image`, ({ request }) => {
      const name = new URL(request.url).searchParams.get('name') ?? '';
      const records = [TEXTS, WEIGHTS].filter((image) => image.name.includes(name));
      return HttpResponse.json({
        paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 30 },
        records,
      });
    }),
  );
  answers('/api/mlpcore/account/30/data-image/4', WEIGHTS);
  show(
    <SaveScope>
      <MountEditor account={String(ANN.accountId)} model={model} readOnly={readOnly} />
    </SaveScope>,
  );
}

const images = (name: string) => row(name).findByRole('combobox', { name: 'Data image' });
const choose = async (name: RegExp) => userEvent.click(await screen.findByRole('option', { name, hidden: true }));

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
  await waitFor(() =>
    expect(sent).toEqual({
      modelName: 'greeting',
      persistentVolumes: [...MODEL.persistentVolumes, added],
      dataImageMounts: [],
    }),
  );
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
  server.use(
    http.post(PATH, () =>
      HttpResponse.json({ ...refusal('mlp.core.validation_error', 400, 'bad input'), args }, { status: 400 }),
    ),
  );
  await userEvent.selectOptions(
    (await screen.findAllByRole('combobox', { name: 'Kind' }))[0] as HTMLElement,
    'dataImage',
  );
  await userEvent.click(await images('/data'));
  await choose(/^weights/);
  await save();
  expect(await row('/data').findByText('not found')).toBeInTheDocument();
  expect(screen.queryByText('bad input')).not.toBeInTheDocument();
});

test('a data image is found by its name, and its ids are sent', async () => {
  let sent: unknown;
  open({ model: { ...MODEL, persistentVolumes: [] } });
  server.use(http.post(PATH, async ({ request }) => ((sent = await request.json()), HttpResponse.json(MODEL))));
  await userEvent.click(await screen.findByRole('button', { name: 'Add a mount' }));
  await userEvent.selectOptions(row('New mount').getByRole('combobox', { name: 'Kind' }), 'dataImage');
  await userEvent.click(await images('New mount'));
  expect(await screen.findByRole('option', { name: 'texts · acme', hidden: true })).toBeInTheDocument();
  await userEvent.type(await images('New mount'), 'weig');
  await waitFor(() =>
    expect(screen.queryByRole('option', { name: 'texts · acme', hidden: true })).not.toBeInTheDocument(),
  );
  await choose(/^weights · globex$/);
  await waitFor(() =>
    expect(row('New mount').getByRole('textbox', { name: 'Folder of the data image' })).toHaveValue('/models'),
  );
  expect(row('New mount').getByRole('textbox', { name: 'Folder of the data image' })).toHaveAttribute('readonly');
  expect(await images('New mount')).toHaveValue('weights · globex');
  await userEvent.type(row('New mount').getByRole('textbox', { name: 'Path in the container' }), '/w');
  await save();
  await waitFor(() =>
    expect(sent).toEqual({
      modelName: 'greeting',
      persistentVolumes: [],
      dataImageMounts: [{ dataImageAccountId: 30, dataImageId: 4, targetPath: '/w' }],
    }),
  );
});

test('a mount without a data image is not sent', async () => {
  open({ model: { ...MODEL, persistentVolumes: [] } });
  await userEvent.click(await screen.findByRole('button', { name: 'Add a mount' }));
  await userEvent.selectOptions(row('New mount').getByRole('combobox', { name: 'Kind' }), 'dataImage');
  await userEvent.type(row('New mount').getByRole('textbox', { name: 'Path in the container' }), '/w');
  await save();
  expect(row('/w').getByText('Choose a data image')).toBeInTheDocument();
});

test('a mounted data image that its owner has made private since keeps its name and folder', async () => {
  const mount = {
    dmId: 1,
    dataImageAccountId: 30,
    dataImageId: 9,
    dataImage: '',
    dataImageName: 'old weights',
    sourcePath: '/old',
    targetPath: '/w',
  };
  open({ model: { ...MODEL, persistentVolumes: [], dataImageMounts: [mount] } });
  answers('/api/mlpcore/account/30/data-image/9', refusal('mlp.core.not_found', 404), 404);
  await waitFor(async () => expect(await images('/w')).toHaveValue('old weights · 30'));
  expect(row('/w').getByRole('textbox', { name: 'Folder of the data image' })).toHaveValue('/old');
  expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
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
  open({ readOnly: true });
  expect(await screen.findByRole('group', { name: '/data' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Add a mount' })).not.toBeInTheDocument();
  expect(row('/data').getByRole('textbox', { name: 'Path in the container' })).toHaveAttribute('readonly');
});
