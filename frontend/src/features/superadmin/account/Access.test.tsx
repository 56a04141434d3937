import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';

import { ACCOUNTS, ADMIN, nothingIn } from '@/testing/administered';
import { show } from '@/testing/render';
import { answers, refusal, server } from '@/testing/server';

import { Access } from './Access';

const features = (...names: string[]) => ({
  features: names.map((name) => ({ name, enabled: name === 'mlp.model_admin' })),
});

const open = () => show(<Access account="5" />);

beforeEach(() => nothingIn());

test('an account is blocked with a reason, and its page says so', async () => {
  let blocked = false;
  let sent: unknown;
  server.use(
    http.post(
      '*/api/accountsadmin/admin/accounts/5/block',
      async ({ request }) => ((sent = await request.json()), (blocked = true), HttpResponse.json({})),
    ),
    http.get(`*${ACCOUNTS}`, () => HttpResponse.json({ accountId: 5, active: !blocked })),
  );
  open();
  expect(await screen.findByText('The account is active')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Block' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Block the account?' }));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), ' not paid {Enter}');
  expect(await screen.findByText('The account is blocked')).toBeInTheDocument();
  expect(sent).toEqual({ reason: 'not paid' });
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('button', { name: 'Unblock' })).toBeInTheDocument();
});

test('an account is unblocked with a reason', async () => {
  let sent: unknown;
  answers(ACCOUNTS, { accountId: 5, active: false });
  server.use(
    http.post(
      '*/api/accountsadmin/admin/accounts/5/unblock',
      async ({ request }) => ((sent = await request.json()), HttpResponse.json({})),
    ),
  );
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Unblock' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Unblock the account?' }));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'paid');
  await userEvent.click(dialog.getByRole('button', { name: 'Unblock' }));
  await waitFor(() => expect(sent).toEqual({ reason: 'paid' }));
});

test('without a reason nothing is sent, and cancelling changes nothing', async () => {
  let calls = 0;
  server.use(http.post('*/api/accountsadmin/admin/accounts/5/block', () => ((calls += 1), HttpResponse.json({}))));
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Block' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), '  ');
  await userEvent.click(dialog.getByRole('button', { name: 'Block' }));
  expect(await dialog.findByText('This field is required')).toBeInTheDocument();
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(calls).toBe(0);
  expect(screen.getByText('The account is active')).toBeInTheDocument();
});

test('a refused reason says why in the dialog, and keeps what was typed', async () => {
  server.use(
    http.post('*/api/accountsadmin/admin/accounts/5/block', () =>
      HttpResponse.json(
        { ...refusal('mlp.core.validation_error', 400), args: { reason: 'is no reason' } },
        { status: 400 },
      ),
    ),
  );
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Block' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'x{Enter}');
  expect(await dialog.findByText('is no reason')).toBeInTheDocument();
  expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('x');
});

test('a feature is named, and switched alone, with a reason', async () => {
  let sent: unknown;
  answers(`${ADMIN}/features`, features('mlp.model_admin', 'mlp.test_form'));
  server.use(
    http.post(`*${ADMIN}/features`, async ({ request }) => {
      sent = await request.json();
      answers(`${ADMIN}/features`, {
        features: [
          { name: 'mlp.model_admin', enabled: true },
          { name: 'mlp.test_form', enabled: true },
        ],
      });
      return new HttpResponse(null);
    }),
  );
  open();
  expect(await screen.findByRole('switch', { name: /^Create and manage services/ })).toBeChecked();
  await userEvent.click(screen.getByRole('switch', { name: /^Use the test form/ }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Use the test form' }));
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'a trial');
  await userEvent.click(dialog.getByRole('button', { name: 'Switch on' }));
  await waitFor(() =>
    expect(sent).toEqual({ features: [{ name: 'mlp.test_form', enabled: true }], reason: 'a trial' }),
  );
  await waitFor(() => expect(screen.getByRole('switch', { name: /^Use the test form/ })).toBeChecked());
});

test('a feature whose switching is cancelled stays as it was', async () => {
  answers(`${ADMIN}/features`, features('mlp.model_admin'));
  open();
  await userEvent.click(await screen.findByRole('switch', { name: /^Create and manage services/ }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Create and manage services' }));
  expect(dialog.getByRole('button', { name: 'Switch off' })).toBeInTheDocument();
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('switch', { name: /^Create and manage services/ })).toBeChecked();
});
