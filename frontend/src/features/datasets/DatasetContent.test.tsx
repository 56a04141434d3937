import { QueryStatus } from '@reduxjs/toolkit/query';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import { DATASET, fileOf, knownDatasets, PATH, receiving } from '@/testing/datasets';
import { show } from '@/testing/render';
import { refusal } from '@/testing/server';

import { DatasetContent } from './DatasetContent';

function open(part: Partial<typeof DATASET> = {}) {
  knownDatasets();
  const view = show(<DatasetContent account="acme" dataset={{ ...DATASET, ...part }} />);
  const known = () =>
    waitFor(() => {
      const queries = Object.values(view.store.getState().api.queries);
      expect(
        queries.some((one) => one?.endpointName === 'coreGetDatasetStorage' && one.status === QueryStatus.fulfilled),
      ).toBe(true);
    });
  return { ...view, known };
}

const choose = (file: File) => userEvent.upload(screen.getByLabelText('Choose a file'), file, { applyAccept: false });
const drop = (...files: File[]) =>
  fireEvent.drop(screen.getByTestId('file-drop'), { dataTransfer: { files, types: ['Files'] } });

describe('an upload', () => {
  test('sends the file, shows that it is sent, and ends', async () => {
    const received = receiving('/7/content');
    open();
    await choose(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]?.url.pathname).toBe(`${PATH}/7/content`);
    expect(received[0]?.type).toMatch(/^multipart\/form-data/);
    expect(screen.getByRole('progressbar', { name: 'Upload' })).toBeInTheDocument();
    received[0]?.end();
    expect(await screen.findByText('The content is uploaded')).toBeInTheDocument();
    expect(screen.queryByRole('progressbar', { name: 'Upload' })).not.toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent('The content is uploaded');
  });

  test('can be cancelled', async () => {
    const received = receiving('/7/content');
    open();
    await choose(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(1));
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('progressbar', { name: 'Upload' })).not.toBeInTheDocument());
    expect(screen.queryByText('The content is uploaded')).not.toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  test('takes a file that is dropped', async () => {
    const received = receiving('/7/content');
    open();
    drop(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(1));
  });
});

describe('before anything is sent', () => {
  test.each([
    ['of another format', fileOf(40, 'labels.json'), /labels.json has the wrong format\. .* \.csv\./],
    ['without content', fileOf(0), 'labels.csv is empty. Choose a file with content.'],
    ['above the limit', fileOf(801), /labels.csv is too large: it has 801.B, and a file may have 800.B\./],
    ['without room', fileOf(501), /labels.csv is too large: it has 501.B, and .* has room for 500.B\./],
  ])('a file %s is refused, and the next one is sent', async (_what, file, said) => {
    const received = receiving('/7/content');
    const { known } = open();
    await known();
    await choose(file);
    expect(within(await screen.findByRole('alert')).getByText(said)).toBeInTheDocument();
    expect(received).toEqual([]);
    await choose(fileOf(500));
    await waitFor(() => expect(received).toHaveLength(1));
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  test('several files are too many', async () => {
    const received = receiving('/7/content');
    open();
    drop(fileOf(40), fileOf(40, 'more.csv'));
    expect(within(await screen.findByRole('alert')).getByText('Too many files: 2. Choose one.')).toBeInTheDocument();
    expect(received).toEqual([]);
  });
});

describe('a refusal of the server', () => {
  const invalid = { line: '3', column: '1', problem: 'not_utf8' };
  test.each([
    ['mlp.core.dataset_content_invalid', 400, invalid, 'labels.csv has the wrong format.'],
    ['mlp.core.dataset_too_large', 413, { limit: '30' }, /labels.csv is too large: it has 40.B, .* may have 30.B\./],
    [
      'mlp.core.storage_limit_exceeded',
      413,
      { name: 'storageLimit', limit: '1000', used: '990', size: '11' },
      /labels.csv is too large: it has 40.B, and .* has room for 10.B\./,
    ],
    ['mlp.core.too_many_transfers', 429, { limit: '4' }, 'labels.csv was not uploaded.'],
  ])('%s is said in the same words', async (code, status, args, said) => {
    const received = receiving('/7/content');
    open();
    await choose(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(1));
    received[0]?.end(HttpResponse.json({ ...refusal(code, status), args }, { status }));
    expect(within(await screen.findByRole('alert')).getByText(said)).toBeInTheDocument();
    expect(screen.queryByText('The content is uploaded')).not.toBeInTheDocument();
  });

  test('says where the content is wrong, and what else is wrong', async () => {
    const received = receiving('/7/content');
    open();
    await choose(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(1));
    received[0]?.end(
      HttpResponse.json({ ...refusal('mlp.core.dataset_content_invalid', 400), args: invalid }, { status: 400 }),
    );
    expect(within(await screen.findByRole('alert')).getByText(/^Line 3, column 1:/)).toBeInTheDocument();
    await choose(fileOf(40));
    await waitFor(() => expect(received).toHaveLength(2));
    received[1]?.end(HttpResponse.json({ ...refusal('mlp.core.transfers_busy', 503) }, { status: 503 }));
    expect(await screen.findByText('Uploads are busy')).toBeInTheDocument();
  });
});

test('the content can be downloaded in each type', async () => {
  open();
  for (const type of DATASET.allowedTypes) {
    const link = await screen.findByRole('link', { name: type });
    expect(link).toHaveAttribute('href', `${PATH}/7/content?${new URLSearchParams({ type }).toString()}`);
    expect(link).toHaveAttribute('download');
  }
});

test('a content without rows has no table', async () => {
  open({ dataType: 'json/any' });
  expect(await screen.findByText('This type has no table')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Add a row' })).not.toBeInTheDocument();
});
