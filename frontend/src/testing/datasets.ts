import { http, HttpResponse } from 'msw';

import type { DatasetInfoData } from '@/api/generated/core.gen';

import { answers, server } from './server';

export const PATH = '/api/mlpcore/account/acme/dataset';
/** A file may have 800 bytes, and the account has 400 left. */
export const STORAGE = { limitBytes: 1000, usedBytes: 600, datasets: 3, datasetLimitBytes: 800 };

export const DATASET: DatasetInfoData = {
  id: { accountId: 1, datasetId: 7 },
  name: 'intents',
  datasetAccountName: 'acme',
  description: 'Greetings',
  dataType: 'csv/texts-and-labels',
  accessMode: 'private',
  warning: null,
  warnings: [],
  size: 100,
  sha256: 'a',
  rows: 2,
  columns: ['text', 'label'],
  version: 1,
  allowedTypes: ['json/texts-and-labels', 'csv/texts-and-labels'],
  contentAllowed: true,
  createdAt: 0,
  updatedAt: 0,
};

export const fileOf = (bytes: number, name = 'labels.csv') => new File(['x'.repeat(bytes)], name, { type: 'text/csv' });

/** The platform's answers about limits, types and rows. */
export function knownDatasets(): void {
  answers(`${PATH}-storage`, STORAGE);
  answers('/api/mlpcore/system-config/dataset-data-type', ['csv/texts-and-labels', 'json/any', 'xlsx/faq']);
  answers(`${PATH}/7/rows`, { version: 1, columns: ['text', 'label'], first: 0, total: 0, rows: [] });
}

interface Received {
  url: URL;
  type: string | null;
  end: (response?: Response) => void;
}

/** Takes uploads at an address below that of the datasets, and ends each when the test says so. */
export function receiving(path: string): Received[] {
  const received: Received[] = [];
  server.use(
    http.post(
      `*${PATH}${path}`,
      ({ request }) =>
        new Promise<Response>((resolve) => {
          received.push({
            url: new URL(request.url),
            type: request.headers.get('Content-Type'),
            end: (response = HttpResponse.json({ ...DATASET })) => resolve(response),
          });
        }),
    ),
  );
  return received;
}
