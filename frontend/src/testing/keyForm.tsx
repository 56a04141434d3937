import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { vi } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { KeyForm } from '@/features/keys/KeyForm';

import { show } from './render';
import { answers, server, signedIn } from './server';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
export const TOKENS = '*/api/mlpcore/account/5/token';

export const KEY: AccessTokenData = {
  token: '5.7.************abcd',
  name: 'page',
  creationDate: '2026-11-21T12:00:00Z',
  expiresAt: null,
  permissions: ['predict'],
  allowedServices: null,
  allowedLlms: null,
  temporary: false,
  maxLifetime: null,
  maxLifetimePeriod: null,
  requestLimit: null,
  requestLimitPeriod: null,
  maxRequestSize: null,
  maxRequestSizeUnit: null,
  spendingLimits: null,
  expenseLimit: null,
  maxPricePerCall: null,
  notificationEmails: null,
  allowedOrigins: ['https://a.example'],
};

export const origins = () => screen.getByRole('textbox', { name: 'Websites that may call from the browser' });
export const pills = () => [...document.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent);

/** The bodies of the keys that are created. */
export function takesKeys(): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.post(
      TOKENS,
      async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' })),
    ),
  );
  return sent;
}

export async function paste(text: string, field = 'Websites that may call from the browser'): Promise<void> {
  await userEvent.click(screen.getByRole('textbox', { name: field }));
  await userEvent.paste(text);
}

export function showForm(edited: AccessTokenData | null = null) {
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/models', PAGE);
  const created = vi.fn<(key: AccessTokenData) => void>();
  show(
    <KeyForm
      account="5"
      edited={edited}
      onUnsaved={() => undefined}
      onSending={() => undefined}
      onCreated={created}
      onChanged={() => undefined}
    />,
  );
  return created;
}
