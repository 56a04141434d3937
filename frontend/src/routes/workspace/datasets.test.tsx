import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import type { ReactElement } from 'react';
import { expect, test } from 'vitest';

import { useSession } from '@/lib/session';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import { DatasetPage } from './DatasetPage';
import { DatasetsPage } from './DatasetsPage';

const ACCOUNT = ANN.accountId ?? 0;
const PATH = `/api/mlpcore/account/${ACCOUNT}/dataset`;
const DATASET = {
  id: { accountId: ACCOUNT, datasetId: 7 },
  name: 'shop-faq',
  description: null,
  dataType: 'json/faq',
  accessMode: 'private',
  warning: 'the dataset is empty',
  warnings: [{ code: 'empty', args: {} }],
  size: 120,
  rows: 0,
  columns: ['question', 'answer'],
  version: 1,
  allowedTypes: ['json/faq'],
  contentAllowed: true,
  createdAt: 0,
  updatedAt: 0,
};
const WARNING = 'The content looks unusual';

function Known({ page }: { page: ReactElement }) {
  return useSession().state === 'signed-in' ? page : null;
}

function openPage(tab = '') {
  signedIn();
  answers(`${PATH}/7`, DATASET);
  answers('/api/mlpcore/system-config/dataset-data-type', ['json/faq']);
  answers(`${PATH}/7/logs`, []);
  answers(`${PATH}-storage`, { usedBytes: 120, limitBytes: 1000, datasets: 1, datasetLimitBytes: 800 });
  answers(`${PATH}/7/rows`, { columns: [], rows: [], first: 0, total: 0 });
  return show(<Known page={<DatasetPage />} />, {
    path: `/workspace/dataset/${ACCOUNT}/7${tab}`,
    route: '/workspace/dataset/:account/:dataset/:tab?',
  });
}

test.each(['', '/edit'])('each tab says once what looks wrong in the content: "%s"', async (tab) => {
  openPage(tab);
  expect(await screen.findByRole('button', { name: tab ? 'Upload a file' : 'Save' })).toBeInTheDocument();
  expect(screen.getAllByText(WARNING)).toHaveLength(1);
  expect(screen.getByRole('alert', { name: WARNING })).toHaveTextContent('The dataset is empty.');
});

test('the list says in words which content looks unusual', async () => {
  signedIn();
  answers(PATH, [
    DATASET,
    { ...DATASET, id: { ...DATASET.id, datasetId: 8 }, name: 'fine', warning: null, warnings: [] },
  ]);
  answers(`${PATH}-storage`, { usedBytes: 1, limitBytes: 2 });
  show(<Known page={<DatasetsPage />} />);
  expect(within(await screen.findByRole('row', { name: /shop-faq/ })).getByText(WARNING)).toBeVisible();
  expect(within(screen.getByRole('row', { name: /fine/ })).queryByText(WARNING)).not.toBeInTheDocument();
});

test.each([
  [
    { use: 'named_and_more', names: 'greeting', count: '2' },
    /Services that use it: greeting, and 2 more/,
    ['greeting'],
  ],
  [{ use: 'services', count: '3' }, /Services that use it: 3/, []],
])(
  'one that services are trained with is not deleted, and they are named or counted: %o',
  async (args, said, named) => {
    const { history } = openPage();
    const inUse = { ...refusal('mlp.core.in_use', 409), args };
    server.use(http.delete(`*${PATH}/7`, () => HttpResponse.json(inUse, { status: 409 })));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/Services that are trained with it must be changed or deleted first/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
    expect(await dialog.findByText(said)).toBeInTheDocument();
    expect(dialog.queryByRole('button', { name: 'Delete' })).not.toBeInTheDocument();
    expect(dialog.queryAllByRole('link').map(({ textContent }) => textContent)).toEqual(named);
    expect(history.location.pathname).toBe(`/workspace/dataset/${ACCOUNT}/7`);
  },
);
