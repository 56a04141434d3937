import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';

import { BucketPage } from '@/routes/workspace/BucketPage';

import { showToMember } from './documented';
import { ANN, answers, server, signedIn } from './server';

export const PATH = `/api/mlpcore/account/${ANN.accountId}/s3`;
export const PAGE = '/workspace/s3-bucket';
export const STORAGE = {
  limitBytes: 1000,
  usedBytes: 600,
  bucketBytes: 400,
  datasetBytes: 200,
  objects: 3,
  objectLimitBytes: 800,
};

export const object = (key: string, size = 2048) => ({
  key,
  name: key.split('/').at(-1) ?? '',
  size,
  modified: '2026-01-02T00:00:00Z',
  etag: 'e',
  contentType: 'text/csv',
});
export const folder = (prefix: string) => ({ name: prefix.split('/').at(-2) ?? '', prefix });
export const file = (name: string, bytes = 10) => new File(['x'.repeat(bytes)], name, { type: 'text/csv' });

export interface Listed {
  folders: ReturnType<typeof folder>[];
  objects: ReturnType<typeof object>[];
  next?: string | null;
}

export const TOP: Listed = { folders: [folder('raw/')], objects: [object('readme.txt')] };

/** Opens the page on a bucket whose listings are given by prefix, and by what they follow; records what was asked. */
export function openBucket(
  places: Record<string, Listed>,
  { path = PAGE, user = {} }: { path?: string; user?: Parameters<typeof signedIn>[0] } = {},
) {
  const asked: URLSearchParams[] = [];
  signedIn(user);
  answers(`${PATH}/storage`, STORAGE);
  server.use(
    http.get(`*${PATH}/object`, ({ request }) => {
      const { searchParams } = new URL(request.url);
      asked.push(searchParams);
      const prefix = searchParams.get('prefix') ?? '';
      const after = searchParams.get('after');
      return HttpResponse.json({
        bucketName: 'acme-1',
        prefix,
        next: null,
        folders: [],
        objects: [],
        ...places[after ? `${prefix} after ${after}` : prefix],
      });
    }),
  );
  return { asked, places, ...showToMember(<BucketPage />, { path, route: PAGE }) };
}

export const chooseFiles = (...files: File[]) =>
  userEvent.upload(screen.getAllByLabelText('Files to upload')[0] as HTMLElement, files);

interface Put {
  key: string;
  type: string | null;
  end: (response?: Response) => void;
}

/** Takes uploads, and ends each when the test says so. */
export function storing(): Put[] {
  const puts: Put[] = [];
  server.use(
    http.put(
      `*${PATH}/content`,
      ({ request }) =>
        new Promise<Response>((resolve) => {
          const key = new URL(request.url).searchParams.get('key') ?? '';
          puts.push({
            key,
            type: request.headers.get('Content-Type'),
            end: (response = HttpResponse.json(object(key))) => resolve(response),
          });
        }),
    ),
  );
  return puts;
}

export const keysOf = (puts: readonly Put[]) =>
  puts.map(({ key }) => key).toSorted((one, other) => one.localeCompare(other));
