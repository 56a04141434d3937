import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

import type { NotificationSettingsData } from '@/api/generated/core.gen';
import en from '@/locales/en.json';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import NotificationChoices from './NotificationChoices';

const PATH = '/api/mlpcore/account/5/notification/settings';
const STORED: NotificationSettingsData = {
  events: [
    { event: 'SERVICE_ERRORS', shown: true, mailed: false },
    { event: 'SERVER_ERRORS', shown: true, mailed: true },
    { event: 'ACCOUNT', shown: false, mailed: false },
  ],
  address: 'ann@example.org',
  mailRefusal: null,
};

function open(part: Partial<NotificationSettingsData> = {}) {
  signedIn();
  answers(PATH, { ...STORED, ...part });
  const onClose = vi.fn<() => void>();
  show(<NotificationChoices account="5" onClose={onClose} />);
  return onClose;
}

const box = (name: string) => screen.findByRole('checkbox', { name });

test('only what was changed is sent', async () => {
  const onClose = open();
  let sent: unknown;
  server.use(http.put(`*${PATH}`, async ({ request }) => ((sent = await request.json()), HttpResponse.json(STORED))));
  expect(await box('Servers that do not respond: By mail')).toBeChecked();
  expect(await box('Account: balance, keys, members, requests: In the console')).not.toBeChecked();
  await userEvent.click(await box('Errors of services: By mail'));
  await userEvent.click(await box('Servers that do not respond: In the console'));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(sent).toEqual({
    events: [
      { event: 'SERVICE_ERRORS', shown: true, mailed: true },
      { event: 'SERVER_ERRORS', shown: false, mailed: true },
    ],
  });
});

test('where no mail can be sent, the reason is given and mail can only be taken off', async () => {
  open({ mailRefusal: 'UNCONFIRMED' });
  expect(await screen.findByText(/Confirm your address ann@example.org/)).toBeInTheDocument();
  expect(await box('Errors of services: By mail')).toBeDisabled();
  expect(await box('Servers that do not respond: By mail')).toBeEnabled();
  expect(await box('Errors of services: In the console')).toBeEnabled();
});

test('a refusal is shown and nothing is closed', async () => {
  const onClose = open();
  server.use(
    http.put(`*${PATH}`, () =>
      HttpResponse.json(
        { ...refusal('mlp.core.notification_mail_refused', 409), args: { why: 'UNCONFIRMED' } },
        { status: 409 },
      ),
    ),
  );
  await userEvent.click(await box('Errors of services: By mail'));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Notifications cannot be mailed to you');
  expect(onClose).not.toHaveBeenCalled();
});

test('each event and each reason of the server has a text', () => {
  const { components } = JSON.parse(readFileSync('src/api/openapi/mlpcore.json', 'utf8')) as {
    components: { schemas: Record<'NotificationEvent' | 'MailRefusal', { enum: string[] }> };
  };
  expect(Object.keys(en.NotificationChoices.of).toSorted()).toEqual(
    components.schemas.NotificationEvent.enum.toSorted(),
  );
  expect(Object.keys(en.NotificationChoices.refusal).toSorted()).toEqual(
    components.schemas.MailRefusal.enum.toSorted(),
  );
});
