import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';

import type { DatasetInfoData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers, server } from '@/testing/server';

import { RowsEditor } from './RowsEditor';

const PATH = '/api/mlpcore/account/acme/dataset/7/rows';
const DATASET = {
  id: { accountId: 1, datasetId: 7 },
  version: 4,
  dataType: 'json/tts-dictionary',
  rows: 2,
} as DatasetInfoData;
const PAGE = {
  version: 4,
  columns: ['original', 'replacement'],
  first: 0,
  total: 2,
  rows: [
    ['SQL', 'sequel'],
    ['nginx', 'engine x'],
  ],
};

test('changes, deletions and new rows are sent together with the version that they are of', async () => {
  answers(PATH, PAGE);
  const sent: unknown[] = [];
  server.use(
    http.post(PATH, async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(DATASET);
    }),
  );
  show(<RowsEditor account="acme" dataset={DATASET} />);
  await userEvent.type(await screen.findByRole('textbox', { name: 'Pronounce as, row 1' }), 's');
  await userEvent.click(screen.getByRole('button', { name: 'Delete row 2' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add a row' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Word, row 3' }), 'k8s');
  expect(screen.getByText('3 unsaved changes')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Save the rows' }));
  await waitFor(() =>
    expect(sent).toEqual([
      {
        version: 4,
        changes: [
          { row: 0, values: ['SQL', 'sequels'] },
          { row: 1, values: null },
        ],
        added: [['k8s', '']],
      },
    ]),
  );
});

test('a refusal keeps the changes', async () => {
  answers(PATH, PAGE);
  server.use(
    http.post(PATH, () =>
      HttpResponse.json({ code: 'mlp.core.conflict', status: 409, message: '', args: {} }, { status: 409 }),
    ),
  );
  show(<RowsEditor account="acme" dataset={DATASET} />);
  await userEvent.type(await screen.findByRole('textbox', { name: 'Word, row 1' }), '!');
  await userEvent.click(screen.getByRole('button', { name: 'Save the rows' }));
  expect(await screen.findByRole('alert')).toBeVisible();
  expect(screen.getByText('1 unsaved change')).toBeVisible();
});

test('a column that no format defines has the name that its owner gave it', async () => {
  const columns = ['question', 'topic', 'Input:Required', 'a.b', '$t(title) {{count}}'];
  answers(PATH, { ...PAGE, columns, total: 1, rows: [['q', 't', 'r', 'c', 'd']] });
  show(<RowsEditor account="acme" dataset={DATASET} />);
  await screen.findByRole('columnheader', { name: 'topic' });
  const shown = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
  expect(shown).toEqual(['Row', 'Question', ...columns.slice(1), '']);
  expect(screen.getByRole('textbox', { name: '$t(title) {{count}}, row 1' })).toHaveValue('d');
});
