import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { show } from '@/testing/render';
import { answers } from '@/testing/server';

import { KeyList } from './KeyList';

const LOADED = { isFetching: false, currentData: true, refetch: () => undefined };
const nothing = () => undefined;

const key = (number: number): AccessTokenData => ({
  token: `5.${number}.************abcd`, name: `key ${number}`, creationDate: '2026-11-21T12:00:00Z', expiresAt: null, permissions: ['predict'], allowedServices: null, allowedLlms: null,
  temporary: false, maxLifetime: null, maxLifetimePeriod: null, requestLimit: 20, requestLimitPeriod: 'MINUTE', maxRequestSize: null, maxRequestSizeUnit: null,
  spendingLimits: null, expenseLimit: null, maxPricePerCall: null, notificationEmails: null, allowedOrigins: [],
});
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index + 1));

test('many are found by name', async () => {
  show(<KeyList account="5" keys={keys(10)} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={nothing} />);
  fireEvent.change(await screen.findByPlaceholderText('Search by name'), { target: { value: 'key 7' } });
  await waitFor(() => expect(screen.queryByText('key 8')).not.toBeInTheDocument());
  expect(screen.getByText('key 7')).toBeInTheDocument();
});

test('a few have neither pages nor a search', async () => {
  const revoke = vi.fn<(keys: readonly AccessTokenData[]) => void>();
  show(<KeyList account="5" keys={keys(2)} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={revoke} />);
  const row = await screen.findByRole('row', { name: /key 2/ });
  expect(within(row).getByText('20 a minute')).toBeInTheDocument();
  await userEvent.click(within(row).getByRole('button', { name: 'Revoke key 2' }));
  expect(revoke).toHaveBeenCalledWith([expect.objectContaining({ name: 'key 2' })]);
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Next' })).not.toBeInTheDocument();
});

test('the way back through the pages of a search stays in it', async () => {
  const { history } = show(<KeyList account="5" keys={keys(60)} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={nothing} />, { path: '/?search=key&page=2' });
  await userEvent.click(await screen.findByRole('button', { name: 'Back' }));
  expect(history.location.search).toBe('?search=key');
});

test('a search that the address names can be cleared, also among a few', async () => {
  show(<KeyList account="5" keys={keys(2)} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={nothing} />, { path: '/?search=other' });
  expect(await screen.findByText('Nothing found')).toBeInTheDocument();
  await userEvent.clear(screen.getByRole('searchbox'));
  expect(await screen.findByText('key 2')).toBeInTheDocument();
});

test('without keys the page says what a key is for, and how to use one', async () => {
  const create = vi.fn<() => void>();
  show(<KeyList account="5" keys={[]} query={LOADED} now={0} onCreate={create} onEdit={nothing} onRevoke={nothing} />);
  expect(await screen.findByText(/A program calls services with a key/)).toBeInTheDocument();
  expect(await screen.findByLabelText('Code')).toHaveTextContent('MLP-API-KEY: $MLP_API_KEY');
  await userEvent.click(screen.getByRole('button', { name: 'Create the first key' }));
  expect(create).toHaveBeenCalledOnce();
});

test('several keys are revoked together', async () => {
  const revoke = vi.fn<(keys: readonly AccessTokenData[]) => void>();
  show(<KeyList account="5" keys={keys(3)} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={revoke} />);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select key 1' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select key 3' }));
  await userEvent.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Revoke' }));
  expect(revoke.mock.calls[0]?.[0].map(({ name }) => name)).toEqual(['key 1', 'key 3']);
});

const service = (modelId: number, modelName: string) => ({ id: { accountId: 5, modelId }, modelAccountName: 'acme', modelName });
const page = (...records: object[]) => ({ paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 500 }, records });

const limited = (part: Partial<AccessTokenData>) => show(<KeyList account="5" keys={[{ ...key(1), ...part }]} query={LOADED} now={0} onCreate={nothing} onEdit={nothing} onRevoke={nothing} />);

describe('what a key is limited to', () => {
  const sites = Array.from({ length: 20 }, (_, at) => `https://a${at}.example`);

  test('many sites are one line, and all are in its title', async () => {
    limited({ allowedOrigins: sites });
    const line = await screen.findByTitle(/^a0\.example, .*, a19\.example$/);
    expect(line).toHaveTextContent('Sites: a0.example, a1.example and 18 more');
  });

  test('a few sites are all there; a scheme that is not the usual one is seen', async () => {
    limited({ allowedOrigins: ['https://a.example', 'http://localhost:3000'] });
    expect(await screen.findByText('Sites: a.example, http://localhost:3000')).toBeInTheDocument();
  });

  test('any site is a mark', async () => {
    limited({ allowedOrigins: ['*'] });
    expect(await screen.findByText('Any site')).toBeInTheDocument();
  });

  test('many language models are one line', async () => {
    limited({ allowedLlms: ['gpt-x', 'gpt-y', 'gpt-z'] });
    expect(await screen.findByTitle('gpt-x, gpt-y, gpt-z')).toHaveTextContent('Models: gpt-x, gpt-y and 1 more');
  });

  describe('services', () => {
    const allowedServices = [1, 2, 3].map((modelId) => ({ accountId: 5, modelId }));
    const some = 'acme/greeting, acme/echo and 1 more';

    beforeEach(() => {
      answers('/api/mlpcore/account/5/model', page(service(1, 'greeting')));
      answers('/api/mlpcore/models', page(service(2, 'echo')));
    });

    test('they are named; one that is not known has its ids', async () => {
      limited({ allowedServices });
      expect(await screen.findByTitle('acme/greeting, acme/echo, 5/3')).toHaveTextContent(some);
    });

    test('cards show them too', async () => {
      vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({ matches: query.includes('max-width'), media: query, addEventListener: nothing, removeEventListener: nothing }) as unknown as MediaQueryList);
      limited({ allowedServices });
      expect(await screen.findByTitle('acme/greeting, acme/echo, 5/3')).toHaveTextContent(some);
      expect(screen.queryByRole('table')).not.toBeInTheDocument();
      vi.restoreAllMocks();
    });
  });
});
