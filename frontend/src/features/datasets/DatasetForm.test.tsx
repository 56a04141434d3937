import { QueryStatus } from '@reduxjs/toolkit/query';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';

import type { DatasetInfoData } from '@/api/generated/core.gen';
import { DATASET, fileOf, knownDatasets, PATH, receiving } from '@/testing/datasets';
import { show } from '@/testing/render';
import { refusal, server } from '@/testing/server';

import { DatasetForm } from './DatasetForm';

async function open({ type = 'csv/texts-and-labels' } = {}) {
  const done = vi.fn<(dataset: DatasetInfoData) => void>();
  const created = vi.fn<(body: unknown) => void>();
  knownDatasets();
  server.use(
    http.post(`*${PATH}/empty`, async ({ request }) => {
      created(await request.json());
      return HttpResponse.json(DATASET);
    }),
  );
  const { store } = show(<DatasetForm account="acme" dataset={null} onDone={done} />);
  await userEvent.type(await screen.findByRole('textbox', { name: /Name/ }), ' intents ');
  await waitFor(() => {
    const queries = Object.values(store.getState().api.queries);
    expect(queries.every((one) => one?.status === QueryStatus.fulfilled)).toBe(true);
  });
  if (type !== 'json/any') await chooseType(type);
  return { done, created };
}

async function chooseType(type: string) {
  await userEvent.click(screen.getByRole('combobox', { name: /Type/ }));
  await userEvent.click(await screen.findByRole('option', { name: type, hidden: true }));
}

/** The input of the browser, which its button opens. */
const choose = (file: File) =>
  userEvent.upload(document.querySelector('input[type=file]') as HTMLInputElement, file, { applyAccept: false });
const drop = (...files: File[]) =>
  fireEvent.drop(screen.getByTestId('file-drop'), { dataTransfer: { files, types: ['Files'] } });
const create = () => userEvent.click(screen.getByRole('button', { name: 'Create' }));

test('a dataset begins with the file, and with what the form says', async () => {
  const received = receiving('/raw');
  const { done, created } = await open();
  await choose(fileOf(40));
  expect(await screen.findByText('labels.csv')).toBeInTheDocument();
  await create();
  await waitFor(() => expect(received).toHaveLength(1));
  expect(Object.fromEntries(received[0]?.url.searchParams ?? [])).toEqual({
    name: 'intents',
    dataType: 'csv/texts-and-labels',
    accessMode: 'private',
  });
  expect(received[0]?.type).toMatch(/^multipart\/form-data/);
  expect(screen.getByRole('progressbar', { name: 'Upload' })).toBeInTheDocument();
  expect(done).not.toHaveBeenCalled();
  received[0]?.end();
  await waitFor(() => expect(done).toHaveBeenCalledWith(expect.objectContaining({ id: DATASET.id })));
  expect(await screen.findByText('The dataset is saved')).toBeInTheDocument();
  expect(created).not.toHaveBeenCalled();
});

test('without a file it begins empty', async () => {
  const received = receiving('/raw');
  const { done, created } = await open({ type: 'json/any' });
  await create();
  await waitFor(() => expect(done).toHaveBeenCalledTimes(1));
  expect(created).toHaveBeenCalledWith({
    name: 'intents',
    description: '',
    dataType: 'json/any',
    accessMode: 'private',
  });
  expect(received).toEqual([]);
});

describe('when it is chosen', () => {
  test.each([
    ['of another format', fileOf(40, 'labels.json'), /labels.json has the wrong format\. .* \.csv\./],
    ['without content', fileOf(0), 'labels.csv is empty. Choose a file with content.'],
    ['above the limit', fileOf(801), /labels.csv is too large: it has 801.B, and a file may have 800.B\./],
    ['without room', fileOf(401), /labels.csv is too large: it has 401.B, and .* has room for 400.B\./],
  ])('a file %s is refused, and nothing is created', async (_what, file, said) => {
    const received = receiving('/raw');
    const { created } = await open();
    await choose(file);
    expect(await screen.findByText(said)).toBeInTheDocument();
    drop(file);
    expect(await screen.findByText(said)).toBeInTheDocument();
    await create();
    expect(screen.getByText(said)).toBeInTheDocument();
    expect([received.length, created.mock.calls.length]).toEqual([0, 0]);
    await choose(fileOf(400));
    expect(screen.queryByText(said)).not.toBeInTheDocument();
    await create();
    await waitFor(() => expect(received).toHaveLength(1));
  });

  test('several files are too many, and no dataset begins empty instead', async () => {
    const received = receiving('/raw');
    const { created } = await open();
    drop(fileOf(40), fileOf(40, 'more.csv'));
    expect(await screen.findByText('Too many files: 2. Choose one.')).toBeInTheDocument();
    await create();
    expect(screen.getByText('Too many files: 2. Choose one.')).toBeInTheDocument();
    expect([received.length, created.mock.calls.length]).toEqual([0, 0]);
    drop(fileOf(40, 'one.csv'));
    expect(await screen.findByText('one.csv')).toBeInTheDocument();
    await create();
    await waitFor(() => expect(received).toHaveLength(1));
  });

  test('another type makes a file right or wrong', async () => {
    await open();
    await choose(fileOf(40, 'faq.xlsx'));
    expect(await screen.findByText(/faq.xlsx has the wrong format/)).toBeInTheDocument();
    await chooseType('xlsx/faq');
    await waitFor(() => expect(screen.queryByText(/has the wrong format/)).not.toBeInTheDocument());
    await chooseType('json/any');
    expect(await screen.findByText(/faq.xlsx has the wrong format/)).toBeInTheDocument();
  });
});

test.each([
  ['mlp.core.dataset_too_large', 413, { limit: '30' }, /labels.csv is too large: it has 40.B, .* may have 30.B\./],
  [
    'mlp.core.dataset_content_invalid',
    400,
    { line: '3', column: '1', problem: 'x' },
    'labels.csv has the wrong format.',
  ],
  ['mlp.core.name_already_exists', 409, { entity: 'a dataset', name: 'intents' }, 'labels.csv was not uploaded.'],
])('the refusal %s of the server is said in the same words, and the form stays', async (code, status, args, said) => {
  const received = receiving('/raw');
  const { done } = await open();
  await choose(fileOf(40));
  await create();
  await waitFor(() => expect(received).toHaveLength(1));
  received[0]?.end(HttpResponse.json({ ...refusal(code, status), args }, { status }));
  expect(within(await screen.findByRole('alert')).getByText(said)).toBeInTheDocument();
  expect(done).not.toHaveBeenCalled();
  expect(screen.getByRole('textbox', { name: /Name/ })).toHaveValue(' intents ');
  expect(screen.getByText('labels.csv')).toBeInTheDocument();
});
