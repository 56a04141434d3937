import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { keyOf } from '@/testing/keys';
import { show } from '@/testing/render';
import { answers, server, signedIn } from '@/testing/server';

import { KeyDrawer } from './KeyDrawer';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
const CREATED = {
  token: '5.1.secret',
  name: 'mine',
  permissions: ['predict', 'read'],
  allowedServices: null,
  allowedOrigins: [],
};
const UNCOPIED = 'Have you copied the key?';
const DISCARD = 'Close without creating a key?';
const UNSAVED = 'Close without saving?';
const KEY = keyOf(7, {
  name: 'nightly',
  requestLimit: 240,
  requestLimitPeriod: 'DAY',
  spendingLimits: [{ amount: 5, currency: 'RUBLE', period: 'DAY', availableImmediately: true }],
  expenseLimit: 0.5,
});

async function showDrawer(edited: AccessTokenData | 'new' = 'new') {
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/models', PAGE);
  server.use(http.post('*/api/mlpcore/account/5/token', () => HttpResponse.json(CREATED)));
  const close = vi.fn<() => void>();
  show(<KeyDrawer account="5" edited={edited} onClose={close} />);
  await screen.findByRole('textbox', { name: 'Name' });
  return close;
}

async function showCreated() {
  const close = await showDrawer();
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await screen.findByText('Copy the key now');
  return close;
}

/** Stands in for the browser's own, which the test's document lacks. */
const clipboard = (writeText: () => Promise<void>) =>
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
const pressClose = async () => userEvent.click(await screen.findByRole('button', { name: 'Close' }));
const clickOutside = () => fireEvent.click(document.querySelector('.mantine-Drawer-overlay') ?? document.body);
const question = (title: string) => screen.queryByRole('dialog', { name: title });

afterEach(() => void Reflect.deleteProperty(navigator, 'clipboard'));

test('closing waits for a key that is on its way', async () => {
  const close = await showDrawer();
  const answer: { now?: () => void } = {};
  const answered = new Promise<void>((resolve) => (answer.now = resolve));
  server.use(
    http.post('*/api/mlpcore/account/5/token', async () => {
      await answered;
      return HttpResponse.json(CREATED);
    }),
  );
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Create a key' }));
  await pressClose();
  expect(question(DISCARD)).not.toBeInTheDocument();
  expect(close).not.toHaveBeenCalled();
  answer.now?.();
  expect(await screen.findByText('Copy the key now')).toBeInTheDocument();
});

describe('the new key', () => {
  test('a click outside does not lose it', async () => {
    const close = await showCreated();
    clickOutside();
    expect(close).not.toHaveBeenCalled();
    expect(question(UNCOPIED)).not.toBeInTheDocument();
    expect(screen.getByLabelText('Key')).toHaveTextContent('5.1.secret');
  });

  test.each([
    ['Escape', () => userEvent.keyboard('{Escape}')],
    ['×', pressClose],
  ])('%s asks while nobody has it', async (_, leave) => {
    const close = await showCreated();
    await leave();
    expect(await screen.findByRole('dialog', { name: UNCOPIED })).toBeInTheDocument();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(question(UNCOPIED)).not.toBeInTheDocument());
    expect(close).not.toHaveBeenCalled();
    await pressClose();
    await userEvent.click(await screen.findByRole('button', { name: 'Close without copying' }));
    expect(close).toHaveBeenCalledOnce();
  });

  test.each(['Copy the key', 'Copy'])('closing does not ask after “%s”', async (name) => {
    const close = await showCreated();
    clipboard(() => Promise.resolve());
    await userEvent.click(screen.getAllByRole('button', { name })[0] as HTMLElement);
    await screen.findAllByText('Copied');
    await pressClose();
    expect(close).toHaveBeenCalledOnce();
  });

  test('closing does not ask after it was selected and copied, or downloaded', async () => {
    const close = await showCreated();
    fireEvent.copy(screen.getByLabelText('Key'));
    await pressClose();
    expect(close).not.toHaveBeenCalled();
    await userEvent.click(await screen.findByRole('button', { name: 'Go back' }));
    document.getSelection()?.selectAllChildren(screen.getByLabelText('Key'));
    fireEvent.copy(screen.getByLabelText('Key'));
    await pressClose();
    expect(close).toHaveBeenCalledOnce();
  });

  test('a copy that the browser refuses is none', async () => {
    const close = await showCreated();
    clipboard(() => Promise.reject(new Error('denied')));
    await userEvent.click(screen.getByRole('button', { name: 'Copy the key' }));
    await pressClose();
    expect(close).not.toHaveBeenCalled();
  });

  test('it has the focus when it is there', async () => {
    await showCreated();
    await waitFor(() => expect(screen.getByRole('alert')).toHaveFocus());
  });
});

describe('the form of a new key', () => {
  test('empty, it closes at once', async () => {
    const close = await showDrawer();
    await userEvent.keyboard('{Escape}');
    expect(close).toHaveBeenCalledOnce();
  });

  test.each([
    ['Escape', () => userEvent.keyboard('{Escape}')],
    ['a click outside', clickOutside],
    ['×', pressClose],
  ])('filled, %s asks first', async (_, leave) => {
    const close = await showDrawer();
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'mine');
    await leave();
    expect(await screen.findByRole('dialog', { name: DISCARD })).toBeInTheDocument();
    await waitFor(() => expect(screen.getByRole('button', { name: 'Go back' })).toHaveFocus());
    expect(close).not.toHaveBeenCalled();
    await userEvent.click(await screen.findByRole('button', { name: 'Go back' }));
    await waitFor(() => expect(question(DISCARD)).not.toBeInTheDocument());
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('mine');
    await leave();
    await userEvent.click(
      within(await screen.findByRole('dialog', { name: DISCARD })).getByRole('button', { name: 'Close' }),
    );
    expect(close).toHaveBeenCalledOnce();
  });

  test('emptied again, it closes at once', async () => {
    const close = await showDrawer();
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'm{Backspace}');
    await pressClose();
    expect(close).toHaveBeenCalledOnce();
  });

  test('a text that is typed and not added is asked for; its Escape clears it', async () => {
    const close = await showDrawer();
    const emails = screen.getByRole('textbox', { name: 'Tell by e-mail' });
    await userEvent.type(emails, 'a@example.org');
    clickOutside();
    expect(await screen.findByRole('dialog', { name: DISCARD })).toBeInTheDocument();
    await userEvent.click(await screen.findByRole('button', { name: 'Go back' }));
    await waitFor(() => expect(question(DISCARD)).not.toBeInTheDocument());
    await userEvent.click(screen.getByRole('button', { name: 'Remove a@example.org' }));
    await userEvent.type(emails, 'b@example{Escape}');
    expect(emails).toHaveValue('');
    expect(question(DISCARD)).not.toBeInTheDocument();
    expect(close).not.toHaveBeenCalled();
    await userEvent.keyboard('{Escape}');
    expect(close).toHaveBeenCalledOnce();
  });

  test('its button stands still at the bottom while warnings come and go', async () => {
    await showDrawer();
    const foot = screen.getByRole('button', { name: 'Create a key' }).parentElement;
    expect(foot?.style.position).toBe('sticky');
  });
});

describe('the form of a key', () => {
  test('unchanged, it closes at once', async () => {
    const close = await showDrawer(KEY);
    await pressClose();
    expect(close).toHaveBeenCalledOnce();
  });

  test.each([
    ['Escape', () => userEvent.keyboard('{Escape}')],
    ['a click outside', clickOutside],
    ['×', pressClose],
  ])('changed, %s asks first', async (_, leave) => {
    const close = await showDrawer(KEY);
    await userEvent.type(screen.getByRole('textbox', { name: 'Calls at most' }), '0');
    await leave();
    const asked = await screen.findByRole('dialog', { name: UNSAVED });
    await waitFor(() => expect(screen.getByRole('button', { name: 'Go back' })).toHaveFocus());
    expect(close).not.toHaveBeenCalled();
    await userEvent.click(within(asked).getByRole('button', { name: 'Close' }));
    expect(close).toHaveBeenCalledOnce();
  });

  test('saved, it closes without a question', async () => {
    const close = await showDrawer(KEY);
    server.use(http.put('*/api/mlpcore/account/5/token/7', () => HttpResponse.json(KEY)));
    await userEvent.type(screen.getByRole('textbox', { name: 'Calls at most' }), '0{Enter}');
    await waitFor(() => expect(close).toHaveBeenCalledOnce());
    expect(question(UNSAVED)).not.toBeInTheDocument();
  });
});
