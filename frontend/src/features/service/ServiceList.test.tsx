import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers, signedIn } from '@/testing/server';

import { ServiceList } from './ServiceList';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 50 }, records: [] };

function open(path: string) {
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/system-config/task-types', []);
  answers('/api/mlpcore/account/5/model-group', []);
  return show(<ServiceList account="5" />, { path });
}

test('an account without services learns what one is, and nothing is said of filters', async () => {
  open('/');
  expect(await screen.findByRole('heading', { name: 'No services yet' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Publish the first service' })).toHaveAttribute(
    'href',
    '/workspace/create-service',
  );
  expect(screen.queryByText(/filter/i)).not.toBeInTheDocument();
});

test('with a filter it is the filter that finds nothing', async () => {
  open('/?publicity=public');
  expect(await screen.findByText('Nothing matches: Publicity: Public.')).toBeInTheDocument();
  expect(screen.queryByText('No services yet')).not.toBeInTheDocument();
});
