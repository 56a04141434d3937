import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { showToMember, silent } from '@/testing/documented';
import { ANN, answers, refusal, signedIn } from '@/testing/server';

import { AccountInfoPage } from './AccountInfoPage';

const GIB = 2 ** 30;
const RESULTS = `/api/mlpgateway/account/${ANN.accountId}/storage`;
const FILES = `/api/mlpcore/account/${ANN.accountId}/s3/storage`;
const NOTHING_SET = { predictionHours: null, answerHours: null, archiveHours: null };
const OF_RESULTS = {
  limitBytes: 10 * GIB,
  usedBytes: 0,
  kinds: ['predictions', 'answers', 'archive'].map((kind) => ({ kind, bytes: 0, items: 0 })),
  setting: NOTHING_SET,
  kept: NOTHING_SET,
};
const OF_FILES = {
  limitBytes: 10 * GIB,
  usedBytes: 10 * GIB,
  bucketBytes: 7 * GIB,
  datasetBytes: 3 * GIB,
  objects: 1200,
  objectLimitBytes: 5 * GIB,
};
const UNAVAILABLE = refusal('mlp.core.unavailable', 503, 'the database is away');

function open() {
  signedIn();
  showToMember(<AccountInfoPage />, {
    path: '/workspace/account-info/storage',
    route: '/workspace/account-info/:tab?',
  });
}

const part = async (name: string) => within(await screen.findByRole('region', { name }));
const files = () => part('Bucket and datasets');
const results = () => part('Results of calls');

test('files and results of calls are shown apart, each under the limit that holds for it', async () => {
  answers(RESULTS, OF_RESULTS);
  answers(FILES, OF_FILES);
  open();
  const shown = await files();
  expect(await shown.findByText(/^10.GiB of 10.GiB are used$/)).toBeInTheDocument();
  expect(shown.getByText(/^Bucket: 7.GiB in 1.200 files$/)).toBeInTheDocument();
  expect(shown.getByText(/^Datasets: 3.GiB$/)).toBeInTheDocument();
  expect(shown.getByText(/The storage is full/)).toBeInTheDocument();
  expect(shown.getByRole('link', { name: 'S3 bucket' })).toHaveAttribute('href', '/workspace/s3-bucket');
  expect(shown.getByRole('link', { name: 'Datasets' })).toHaveAttribute('href', '/workspace/datasets');
  expect(await (await results()).findByText(/^0.B of 10.GiB are used$/)).toBeInTheDocument();
  expect(screen.queryByText(/Nothing more fits/)).not.toBeInTheDocument();
  expect(screen.getByText(/The storage limit of the account counts twice/)).toBeInTheDocument();
});

test('a late answer hides nothing of the other, and its place is kept', async () => {
  answers(RESULTS, OF_RESULTS);
  silent(/\/s3\/storage$/);
  open();
  expect(await (await results()).findByText(/^0.B of 10.GiB are used$/)).toBeInTheDocument();
  const late = await files();
  expect(late.getByText('Datasets: 10 GiB')).not.toBeVisible();
  expect(late.queryByRole('meter')).not.toBeInTheDocument();
});

test('files that cannot be read leave the results, keep their place and are read again', async () => {
  answers(RESULTS, OF_RESULTS);
  answers(FILES, UNAVAILABLE, 503);
  open();
  const shown = await files();
  expect(await shown.findByText('The use of storage could not be read.')).toBeVisible();
  expect(shown.getByText('Datasets: 10 GiB')).not.toBeVisible();
  expect(await (await results()).findByText(/^0.B of 10.GiB are used$/)).toBeInTheDocument();
  answers(FILES, OF_FILES);
  await userEvent.click(shown.getByRole('button', { name: 'Try again' }));
  expect(await shown.findByText('Datasets: 3 GiB')).toBeVisible();
});

test('results that cannot be read leave the files, and are read again', async () => {
  answers(RESULTS, UNAVAILABLE, 503);
  answers(FILES, OF_FILES);
  open();
  expect(await (await files()).findByText('Datasets: 3 GiB')).toBeInTheDocument();
  const shown = await results();
  expect(await shown.findByText(/the database is away/)).toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Retention' })).not.toBeInTheDocument();
  answers(RESULTS, OF_RESULTS);
  await userEvent.click(shown.getByRole('button', { name: 'Try again' }));
  expect(await shown.findByText(/^0.B of 10.GiB are used$/)).toBeVisible();
  expect(await screen.findByRole('region', { name: 'Retention' })).toBeInTheDocument();
});
