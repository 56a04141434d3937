import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { keyOf } from '@/testing/keys';
import { modelOf } from '@/testing/models';
import { show } from '@/testing/render';
import { answers, signedIn } from '@/testing/server';

import { KeyList } from './KeyList';

const LOADED = { isFetching: false, currentData: true, refetch: () => undefined };
const nothing = () => undefined;

const key = (number: number) => keyOf(number, { requestLimit: 20, requestLimitPeriod: 'MINUTE' });
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(index + 1));

beforeEach(() => signedIn());

/** Shows the list of `keys`, with what a test changes. */
const list = (shown: readonly AccessTokenData[], part: Partial<Parameters<typeof KeyList>[0]> = {}, path?: string) =>
  show(
    <KeyList
      account="5"
      keys={shown}
      query={LOADED}
      now={0}
      onCreate={nothing}
      onEdit={nothing}
      onRevoke={nothing}
      {...part}
    />,
    path === undefined ? {} : { path },
  );

test('many are found by name', async () => {
  list(keys(10));
  fireEvent.change(await screen.findByPlaceholderText('Search by name'), { target: { value: 'key 7' } });
  await waitFor(() => expect(screen.queryByText('key 8')).not.toBeInTheDocument());
  expect(screen.getByText('key 7')).toBeInTheDocument();
});

test('a few have neither pages nor a search', async () => {
  const revoke = vi.fn<(keys: readonly AccessTokenData[]) => void>();
  list(keys(2), { onRevoke: revoke });
  const row = await screen.findByRole('row', { name: /key 2/ });
  expect(within(row).getByText('20 calls a minute')).toBeInTheDocument();
  await userEvent.click(within(row).getByRole('button', { name: 'Revoke key 2' }));
  expect(revoke).toHaveBeenCalledWith([expect.objectContaining({ name: 'key 2' })]);
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Next' })).not.toBeInTheDocument();
});

test('the way back through the pages of a search stays in it', async () => {
  const { history } = list(keys(60), {}, '/?search=key&page=2');
  await userEvent.click(await screen.findByRole('button', { name: 'Back' }));
  expect(history.location.search).toBe('?search=key');
});

test('a search that the address names can be cleared, also among a few', async () => {
  list(keys(2), {}, '/?search=other');
  expect(await screen.findByText('Nothing found')).toBeInTheDocument();
  await userEvent.clear(screen.getByRole('searchbox'));
  expect(await screen.findByText('key 2')).toBeInTheDocument();
});

test('without keys the page says what a key is for, and how to use one', async () => {
  const create = vi.fn<() => void>();
  answers('/api/mlpcore/account/5/model', page());
  answers('/api/mlpcore/models', page({ ...modelOf({ modelName: 'counter' }), taskType: 'ner' }));
  answers('/api/mlpcore/account/acme/model/counter/example', []);
  answers('/api/mlpcore/account/acme/model/counter/action-descriptor', { schemaFiles: [] });
  list([], { onCreate: create });
  expect(await screen.findByText(/A program calls services with a key/)).toBeInTheDocument();
  expect(await screen.findByLabelText('curl')).toHaveTextContent(
    /acme\/model\/counter\/predict.*MLP-API-KEY: \$MLP_API_KEY.*texts/,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Create the first key' }));
  expect(create).toHaveBeenCalledOnce();
});

test('several keys are revoked together', async () => {
  const revoke = vi.fn<(keys: readonly AccessTokenData[]) => void>();
  list(keys(3), { onRevoke: revoke });
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select key 1' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select key 3' }));
  await userEvent.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Revoke' }));
  expect(revoke.mock.calls[0]?.[0].map(({ name }) => name)).toEqual(['key 1', 'key 3']);
});

const service = (modelId: number, modelName: string) => ({
  id: { accountId: 5, modelId },
  modelAccountName: 'acme',
  modelName,
});
const page = (...records: object[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 500 },
  records,
});

const limited = (part: Partial<AccessTokenData>) => list([{ ...key(1), ...part }]);

describe('what a key is limited to', () => {
  const sites = Array.from({ length: 20 }, (_, at) => `https://a${at}.example`);

  test('many sites are one line, and all are in its title', async () => {
    limited({ allowedOrigins: sites });
    expect(await screen.findByTitle(/^Sites: a0\.example, .*, a19\.example$/)).toHaveTextContent(
      /^Sites: a0.example \+19$/,
    );
  });

  test('a scheme that is not the usual one is seen', async () => {
    limited({ allowedOrigins: ['http://localhost:3000'] });
    expect(await screen.findByText('Sites: http://localhost:3000')).toBeInTheDocument();
  });

  test('any site is a mark', async () => {
    limited({ allowedOrigins: ['*'] });
    expect((await screen.findByText('Any site')).closest('.mantine-Badge-root')).toBeInTheDocument();
  });

  test('many language models are one line', async () => {
    limited({ allowedLlms: ['gpt-x', 'gpt-y', 'gpt-z'] });
    expect(await screen.findByTitle('Models: gpt-x, gpt-y, gpt-z')).toHaveTextContent(/^Models: gpt-x \+2$/);
  });

  test.each([
    [{ requestLimit: 100_000 }, '100\u202f000 calls a minute'],
    [{ requestLimit: 1 }, '1 call a minute'],
    [{ maxRequestSize: 1_048_576, maxRequestSizeUnit: 'BYTES' }, '1\u00a0MiB a request'],
    [{ maxRequestSize: 1_000_000, maxRequestSizeUnit: 'BYTES' }, '1\u202f000\u202f000 bytes a request'],
    [{ maxRequestSize: 2000, maxRequestSizeUnit: 'CHARACTERS' }, '2\u202f000 characters a request'],
    [{ spendingLimits: [{ amount: 5, currency: 'TOKEN' as const, period: 'DAY' as const }] }, '5.00\u00a0tokens a day'],
    [{ expenseLimit: '1500' }, '1\u202f500.00\u00a0₽ in all'],
    [{ maxPricePerCall: '0.3' }, '0.30 a call at most'],
  ])('%j reads “%s”', async (part, text) => {
    limited(part);
    expect(await screen.findByText(text, { normalizer: (shown) => shown })).toBeInTheDocument();
  });

  test('more than three lines end in the number of the others, which its title says', async () => {
    limited({ maxRequestSize: 1024, expenseLimit: 5, allowedLlms: ['gpt-x', 'gpt-y'] });
    expect((await screen.findByText('+2 more')).title).toBe('1\u00a0KiB a request\nModels: gpt-x, gpt-y');
    expect(screen.getByText(/5\.00.* in all/)).toBeInTheDocument();
    expect(screen.queryByText(/KiB/)).not.toBeInTheDocument();
  });

  describe('services', () => {
    const allowedServices = [1, 2, 3].map((modelId) => ({ accountId: 5, modelId }));
    const some = /^acme\/greeting \+2$/;

    beforeEach(() => {
      answers('/api/mlpcore/account/5/model', page(service(1, 'greeting')));
      answers('/api/mlpcore/models', page(service(2, 'echo')));
    });

    test('they are named; one that is not known has its ids', async () => {
      limited({ allowedServices });
      expect(await screen.findByTitle('acme/greeting, acme/echo, 5/3')).toHaveTextContent(some);
    });

    test('cards show them too', async () => {
      vi.spyOn(window, 'matchMedia').mockImplementation(
        (query) =>
          ({
            matches: query.includes('max-width'),
            media: query,
            addEventListener: nothing,
            removeEventListener: nothing,
          }) as unknown as MediaQueryList,
      );
      limited({ allowedServices });
      expect(await screen.findByTitle('acme/greeting, acme/echo, 5/3')).toHaveTextContent(some);
      expect(screen.queryByRole('table')).not.toBeInTheDocument();
      vi.restoreAllMocks();
    });
  });
});

test('the mask of a key stays in one line', async () => {
  list(keys(1));
  expect(await screen.findByText('5.1.…abcd')).toBeInTheDocument();
});

const markOf = (text: string) =>
  screen.getByText(text).closest<HTMLElement>('.mantine-Badge-root')?.style.getPropertyValue('--badge-color');

test('an expired key is a mark with colour, as one that expires soon is', async () => {
  list(
    [
      { ...key(1), expiresAt: '2026-11-20T12:00:00Z' },
      { ...key(2), expiresAt: '2026-11-22T12:00:00Z' },
    ],
    { now: Date.parse('2026-11-21T12:00:00Z') },
  );
  await screen.findByText('Expired');
  expect([markOf('Expired'), markOf('Soon')]).toEqual([
    'var(--mantine-color-red-light-color)',
    'var(--mantine-color-yellow-light-color)',
  ]);
});
