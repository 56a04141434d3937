import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers, refusal, signedIn } from '@/testing/server';

import { Archive } from './Archive';

const MODEL = { modelName: 'ner', archiveSettings: { enabled: true } } as ModelInfoData;
const LIST = '/api/mlpgateway/account/1/model/ner/archive';
const RECORD = {
  id: 'a-1',
  at: '2026-11-21T10:00:00Z',
  requestId: 'r-7',
  callerAccountId: 1_000_000_002,
  operation: 'predict',
  status: 200,
  errorCode: null,
  requestBytes: 12,
  answerBytes: 34,
  storedBytes: 400,
  durationMs: 56,
  instanceId: 3,
  cached: true,
  keyId: null,
};

const page = (records: object[]) => ({
  records,
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 20 },
});

function showArchive(enabled = true) {
  signedIn({}, { isArchiveEnabled: enabled });
  return show(<Archive account="1" model={MODEL} />);
}

test('requests are listed, and one is opened', async () => {
  answers(LIST, page([RECORD]));
  answers(`${LIST}/a-1/content`, { request: { data: { json: '"hello"', type: null } } });
  showArchive();
  expect(await screen.findByText('1000000002')).toBeInTheDocument();
  expect(screen.getByText('from the cache')).toBeInTheDocument();
  await userEvent.click(screen.getByText('1000000002'));
  expect(await screen.findByText(/"data": "hello"/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Download' })).toHaveAttribute('href', `${LIST}/a-1/content`);
});

test('an encrypted one asks for the key, and says what is wrong with a file', async () => {
  answers(LIST, page([{ ...RECORD, keyId: 'k' }]));
  answers(`${LIST}/a-1/content`, 'a.b.c.d.e');
  vi.stubGlobal('isSecureContext', true);
  const { baseElement } = showArchive();
  expect(await screen.findByLabelText('Encrypted')).toBeInTheDocument();
  await userEvent.click(screen.getByText('1000000002'));
  await screen.findByText(/Only your private key/);
  const input = baseElement.querySelector<HTMLInputElement>('input[type=file]');
  if (!input) throw new Error('no input for the key');
  await userEvent.upload(input, new File(['nonsense'], 'key.pem', { type: 'application/x-pem-file' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('holds no private key');
});

test('one that cannot be opened says why', async () => {
  answers(LIST, page([RECORD]));
  answers(`${LIST}/a-1/content`, refusal('mlp.core.not_found', 404, 'it is gone'), 404);
  showArchive();
  await userEvent.click(await screen.findByText('1000000002'));
  expect(await screen.findByText(/it is gone/)).toBeInTheDocument();
});

test("a page that is refused shows no other page's requests", async () => {
  answers(LIST, { records: [RECORD], paging: { totalElements: 21, totalPages: 2, pageNumber: 0, pageSize: 20 } });
  const { history } = showArchive();
  expect(await screen.findByText('1000000002')).toBeInTheDocument();
  answers(LIST, refusal('mlp.core.unavailable', 503, 'try later'), 503);
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(history.location.search).toBe('?page=2');
  expect(await screen.findByText(/try later/)).toBeInTheDocument();
  expect(screen.queryByText('1000000002')).not.toBeInTheDocument();
});

test('an empty archive says what comes, a refused one why', async () => {
  answers(LIST, page([]));
  const { unmount } = showArchive();
  expect(await screen.findByText('The next calls of the service appear here.')).toBeInTheDocument();
  unmount();
  answers(LIST, refusal('mlp.gate.access_denied', 403, 'not yours'), 403);
  showArchive();
  expect(await screen.findByText(/not yours/)).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByText('The next calls of the service appear here.')).not.toBeInTheDocument());
});

test('where the installation keeps none there is nothing', async () => {
  const { store } = showArchive(false);
  await waitFor(() => expect(JSON.stringify(store.getState())).toContain('"isArchiveEnabled":false'));
  expect(screen.queryByRole('heading')).not.toBeInTheDocument();
});
