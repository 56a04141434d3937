import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { browser } from '@/lib/browser';
import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn, signedOut } from '@/testing/server';

import Palette from './Palette';

const ACCOUNT = `/api/mlpcore/account/${ANN.accountId}`;
const paged = (records: object[]) => ({
  paging: { totalElements: records.length, totalPages: 1, pageNumber: 0, pageSize: 5 },
  records,
});
const model = (accountId: number, modelId: number, owner: string, name: string) => ({
  id: { accountId, modelId },
  modelAccountName: owner,
  modelName: name,
  displayName: null,
});
const LANGUAGE = { name: 'Русский', choose: vi.fn<() => void>() };

function open() {
  const onClose = vi.fn<() => void>();
  const onHelp = vi.fn<() => void>();
  return { ...show(<Palette language={LANGUAGE} onClose={onClose} onHelp={onHelp} />), onClose, onHelp };
}

const field = () => screen.findByRole('combobox');
const option = (name: string | RegExp) => screen.findByRole('option', { name });

/** From now on the server finds services only when told to, and then none. */
function answersWhenTold() {
  const asked: (string | null)[] = [];
  let answer: (() => void) | undefined;
  const told = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const later = async ({ request }: { request: Request }) => {
    asked.push(new URL(request.url).searchParams.get('modelField'));
    await told;
    return HttpResponse.json(paged([]));
  };
  server.use(http.get('*/api/mlpcore/models', later), http.get(`*${ACCOUNT}/model`, later));
  return { asked, answer: () => answer?.() };
}

const nerRu = () => screen.getByRole('option', { name: /^ner-ru/ });
const lines = () => screen.getAllByRole('option').map((line) => line.textContent);
const of = (name: string) =>
  within(screen.getByRole('group', { name }))
    .getAllByRole('option')
    .map((found) => found.textContent);

describe('the palette of a member', () => {
  beforeEach(() => {
    signedIn();
    answers(
      '/api/mlpcore/models',
      paged([model(2, 5, 'acme', 'ner-ru'), model(ANN.accountId ?? 0, 9, 'ann', 'ner-own')]),
    );
    answers(`${ACCOUNT}/model`, paged([model(ANN.accountId ?? 0, 9, 'ann', 'ner-own')]));
    answers(`${ACCOUNT}/owned-resource-groups`, [{ name: 'ner-servers', ownerId: ANN.accountId }]);
    answers(`${ACCOUNT}/token`, [{ token: '1000000001.17.***', name: 'ner key' }]);
  });

  test('finds services, groups and keys, each in its group and once', async () => {
    open();
    await userEvent.type(await field(), 'ner');
    expect(await option(/^ner-ru/)).toBeInTheDocument();
    await waitFor(() => expect(of('API keys')).toEqual(['ner key']));
    expect(of('My services')).toEqual(['ner-ownann/ner-own']);
    expect(of('Catalogue')).toEqual(['ner-ruacme/ner-ru']);
    expect(of('Resource groups')).toEqual(['ner-servers']);
  });

  test('is used with the keyboard alone, and offers what was opened first the next time', async () => {
    const { history, onClose, unmount } = open();
    await userEvent.type(await field(), 'ner');
    await waitFor(() => expect(of('Catalogue')).toEqual(['ner-ruacme/ner-ru']));
    for (let presses = 0; presses < 20 && nerRu().getAttribute('aria-selected') !== 'true'; presses += 1)
      await userEvent.keyboard('{ArrowDown}');
    expect(await field()).toHaveAttribute('aria-activedescendant', nerRu().id);
    await userEvent.keyboard('{Enter}');
    expect(history.location.pathname).toBe('/catalog/acme/ner-ru');
    expect(onClose).toHaveBeenCalledOnce();
    unmount();
    open();
    expect(within(await screen.findByRole('group', { name: 'Recent' })).getByRole('option')).toHaveTextContent(
      'ner-ruacme/ner-ru',
    );
  });

  test('keeps services that match until the server has answered the whole text', async () => {
    const { history } = open();
    await userEvent.type(await field(), 'ne');
    await waitFor(() => expect(lines()).toContain('ner-ruacme/ner-ru'));
    const late = answersWhenTold();
    await userEvent.type(await field(), 'r-');
    await waitFor(() => expect(late.asked.slice(-2)).toEqual(['ner-', 'ner-']));
    expect(lines()).toEqual(expect.arrayContaining(['ner-ownann/ner-own', 'ner-ruacme/ner-ru']));
    await userEvent.type(await field(), 'r');
    expect(lines()).not.toContain('ner-ownann/ner-own');
    await userEvent.keyboard('{Enter}');
    expect(history.location.pathname).toBe('/catalog/acme/ner-ru');
    late.answer();
  });

  test('does actions', async () => {
    const { onHelp } = open();
    await userEvent.type(await field(), 'keyboard{Enter}');
    expect(onHelp).toHaveBeenCalledOnce();
  });

  test('says that nothing matches, and offers the catalogue', async () => {
    answers('/api/mlpcore/models', paged([]));
    answers(`${ACCOUNT}/model`, paged([]));
    const { history } = open();
    await userEvent.type(await field(), 'zzz');
    expect(await screen.findByText('Nothing matches “zzz”')).toBeInTheDocument();
    await userEvent.keyboard('{Enter}');
    expect(history.location.search).toBe('?search=zzz');
  });

  test('says that the search failed, and searches again', async () => {
    let fails = true;
    server.use(
      http.get('*/api/mlpcore/models', () =>
        fails
          ? HttpResponse.json(refusal('mlp.core.internal', 500), { status: 500 })
          : HttpResponse.json(paged([model(2, 5, 'acme', 'zulu')])),
      ),
    );
    answers(`${ACCOUNT}/model`, paged([]));
    open();
    await userEvent.type(await field(), 'zulu');
    const again = await screen.findByRole('button', { name: 'Try again' });
    fails = false;
    await userEvent.click(again);
    expect(await option(/^zulu/)).toBeInTheDocument();
  });

  test('asks the server once for a word typed quickly', async () => {
    const asked: string[] = [];
    server.use(
      http.get('*/api/mlpcore/models', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('modelField') ?? '');
        return HttpResponse.json(paged([]));
      }),
    );
    open();
    const search = await field();
    // At once, however busy the machine is.
    for (const value of ['n', 'ne', 'ner']) fireEvent.change(search, { target: { value } });
    await waitFor(() => expect(asked).toEqual(['ner']));
  });

  test('switches to another account with a full load', async () => {
    const gone = vi.spyOn(browser, 'go').mockImplementation(() => undefined);
    answers('/api/accountsadmin/c/users/7/allowed-accounts', [
      { id: ANN.accountId, name: 'acme', availableToSelect: true },
      { id: 5, name: 'globex', availableToSelect: true },
    ]);
    server.use(http.post('*/api/accountsadmin/c/authorization/select-account', () => HttpResponse.json({})));
    open();
    await userEvent.click(await option('globex'));
    await waitFor(() => expect(gone).toHaveBeenCalledWith('/workspace'));
    gone.mockRestore();
  });
});

describe('the palette of a superadmin', () => {
  beforeEach(() => {
    signedIn({ permissions: ['ACCOUNTS_ADMIN_WRITE'] });
    answers('/api/mlpcore/models', paged([]));
  });

  test('finds accounts, which open their pages, and offers them again to the same person alone', async () => {
    const asked: string[] = [];
    server.use(
      http.get('*/api/mlpcore/admin/accounts', ({ request }) => {
        asked.push(new URL(request.url).search);
        return HttpResponse.json([{ accountId: 5, shortName: 'globex', displayName: 'Globex Research' }]);
      }),
    );
    const { history, unmount } = open();
    fireEvent.change(await field(), { target: { value: 'glob' } });
    await userEvent.click(await option(/^globex/));
    expect(asked).toEqual(['?name=glob&limit=5']);
    expect(history.location.pathname).toBe('/superadmin/account/5');
    unmount();
    const again = open();
    expect(within(await screen.findByRole('group', { name: 'Recent' })).getByRole('option')).toHaveTextContent(
      'globexGlobex Research',
    );
    again.unmount();
    signedOut();
    open();
    expect(await option(/^Sign in/)).toBeInTheDocument();
    expect(screen.queryByRole('group', { name: 'Recent' })).not.toBeInTheDocument();
  });

  test('says that accounts could not be searched, and searches again', async () => {
    answers('/api/mlpcore/admin/accounts', refusal('mlp.core.internal', 500), 500);
    open();
    fireEvent.change(await field(), { target: { value: 'glob' } });
    const again = await screen.findByRole('button', { name: 'Try again' });
    answers('/api/mlpcore/admin/accounts', [{ accountId: 5, shortName: 'globex', displayName: 'Globex' }]);
    await userEvent.click(again);
    expect(await option(/^globex/)).toBeInTheDocument();
  });
});

test('a member does not ask for accounts of the platform', async () => {
  signedIn();
  answers('/api/mlpcore/models', paged([model(2, 5, 'acme', 'glob')]));
  answers(`${ACCOUNT}/model`, paged([]));
  answers(`${ACCOUNT}/owned-resource-groups`, []);
  answers(`${ACCOUNT}/token`, []);
  open();
  fireEvent.change(await field(), { target: { value: 'glob' } });
  expect(await option(/^glob/)).toBeInTheDocument(); // a request that no answer is made for fails the test
  expect(screen.queryByRole('group', { name: 'Accounts' })).not.toBeInTheDocument();
});

test('visitors find public pages and services only', async () => {
  signedOut();
  answers('/api/mlpcore/models', paged([model(2, 5, 'acme', 'ner-ru')]));
  open();
  await userEvent.type(await field(), 'ner');
  expect(await option(/^ner-ru/)).toBeInTheDocument();
  await userEvent.clear(await field());
  expect(await option(/^Sign in/)).toBeInTheDocument();
  expect(screen.queryByRole('option', { name: /^API keys/ })).not.toBeInTheDocument();
});
