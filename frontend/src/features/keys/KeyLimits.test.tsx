import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';

import type { AccessTokenData } from '@/api/generated/core.gen';
import type { Language } from '@/lib/i18n';
import { formatMoment } from '@/lib/format/time';
import { keyOf } from '@/testing/keys';
import { show } from '@/testing/render';
import { answers, refusal, server, signedIn } from '@/testing/server';

import { KeyForm } from './KeyForm';

const PAGE = { paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 500 }, records: [] };
const TOKENS = '*/api/mlpcore/account/5/token';
const KEY = keyOf(7, {
  name: 'nightly',
  expiresAt: '2096-11-21T12:00:00Z',
  temporary: true,
  maxLifetime: 3,
  maxLifetimePeriod: 'DAY',
  requestLimit: 100_000,
  requestLimitPeriod: 'DAY',
});

/** The bodies that are sent. */
async function showForm(edited: AccessTokenData | null, language: Language = 'en'): Promise<unknown[]> {
  const sent: unknown[] = [];
  signedIn();
  answers('/api/mlpcore/account/5/model', PAGE);
  answers('/api/mlpcore/models', PAGE);
  server.use(
    http.post(
      TOKENS,
      async ({ request }) => (sent.push(await request.json()), HttpResponse.json({ token: '5.1.secret' })),
    ),
    http.put(`${TOKENS}/7`, async ({ request }) => (sent.push(await request.json()), HttpResponse.json(KEY))),
  );
  show(
    <KeyForm
      account="5"
      edited={edited}
      onUnsaved={() => undefined}
      onSending={() => undefined}
      onCreated={() => undefined}
      onChanged={() => undefined}
    />,
    { language },
  );
  await screen.findByRole('button', { name: /^(?:Create a key|Save|Сохранить)$/ });
  if (!edited) fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'mine' } });
  return sent;
}

const field = (name: string) => screen.getByRole('textbox', { name });
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const enter = (name: string) => userEvent.type(field(name), '{Enter}');
const amounts = () => screen.getAllByRole('textbox', { name: 'Amount' });
const addRow = () => userEvent.click(screen.getByRole('button', { name: 'Add a limit' }));

const CALLS = 'Calls at most';
const LIFETIME = 'Expires after';
const SIZE = 'Size of a request at most';
const TOTAL = 'Total spending, roubles';
const PRICE = 'Maximal price of a call';
const NO_LIMIT = 'Leave it empty for no limit.';
const WHOLE = `Enter a whole number in digits, such as 1000. ${NO_LIMIT}`;
const NUMBER = `Enter a number in digits, such as 1000 or 0.5. ${NO_LIMIT}`;

describe('a number that is no limit', () => {
  test.each([
    [
      {
        [CALLS]: ['-5', `At least 1. ${NO_LIMIT}`],
        [LIFETIME]: ['0', `At least 1. ${NO_LIMIT}`],
        [SIZE]: ['0', `At least 1. ${NO_LIMIT}`],
        [TOTAL]: ['-5', `At least 0. ${NO_LIMIT}`],
        [PRICE]: ['-0.5', `At least 0. ${NO_LIMIT}`],
      },
    ],
    [
      {
        [CALLS]: ['2.7', WHOLE],
        [LIFETIME]: ['1,5', WHOLE],
        [SIZE]: ['1e3', WHOLE],
        [TOTAL]: ['1e30', NUMBER],
        [PRICE]: ['1,000', '1,000 can mean two numbers. Write 1000 or 1.000.'],
      },
    ],
    [
      {
        [CALLS]: ['99999999999999999999', `At most 9\u202f007\u202f199\u202f254\u202f740\u202f991. ${NO_LIMIT}`],
        [LIFETIME]: ['200000', `At most 1\u202f216. ${NO_LIMIT}`],
        [TOTAL]: ['9000000001', `At most 9\u202f000\u202f000\u202f000. ${NO_LIMIT}`],
        [PRICE]: ['0.0000000001', 'At most 9 decimal places.'],
      },
    ],
  ])(
    'is an error at its field, stays as it was typed, and is not sent: %o',
    async (numbers: Record<string, string[]>) => {
      const sent = await showForm(null);
      for (const [name, [typed = '']] of Object.entries(numbers)) fill(name, typed);
      fireEvent.blur(field(CALLS));
      await enter(CALLS);
      for (const [name, [typed, fault]] of Object.entries(numbers)) {
        expect(field(name)).toHaveValue(typed);
        expect(field(name)).toHaveAccessibleDescription(expect.stringContaining(fault ?? ''));
      }
      expect(sent).toEqual([]);
    },
  );

  test('does not remove the limit of a key', async () => {
    const sent = await showForm(KEY);
    expect(field(CALLS)).toHaveValue('100000');
    fill(CALLS, '0');
    await enter(CALLS);
    expect(field(CALLS)).toBeInvalid();
    expect(field(CALLS)).toHaveFocus();
    expect(sent).toEqual([]);
    fill(CALLS, '');
    await enter(CALLS);
    await waitFor(() => expect(sent).toMatchObject([{ requestLimit: null, requestLimitPeriod: null, maxLifetime: 3 }]));
  });

  test('is said beside the control that it belongs with, which stays in one line with it', async () => {
    await showForm(null);
    fill(CALLS, '0');
    await enter(CALLS);
    const pair = field(CALLS).closest<HTMLElement>('[data-pair]') as HTMLElement;
    expect(within(pair).getByRole('combobox', { name: 'In each' })).toBeInTheDocument();
    expect(pair).not.toHaveTextContent('At least 1');
  });

  test('is not told any more after the unit of the lifetime has changed', async () => {
    const sent = await showForm(null);
    fill(LIFETIME, '2000');
    await enter(LIFETIME);
    expect(field(LIFETIME)).toBeInvalid();
    await userEvent.click(screen.getByRole('combobox', { name: 'Unit of time' }));
    await userEvent.click(await screen.findByRole('option', { name: 'days', hidden: true }));
    expect(field(LIFETIME)).toBeValid();
    await enter(LIFETIME);
    await waitFor(() => expect(sent).toMatchObject([{ maxLifetime: 2000, maxLifetimePeriod: 'DAY' }]));
  });
});

test('a comma in an amount is a decimal one, and 0 is a limit', async () => {
  const sent = await showForm(null);
  await addRow();
  fill('Amount', '0');
  fill(TOTAL, '0,5');
  await enter(TOTAL);
  await waitFor(() => expect(sent).toMatchObject([{ expenseLimit: 0.5, spendingLimits: [{ amount: 0 }] }]));
});

describe('rows of spending', () => {
  test('one without an amount is an error, and the key is not created', async () => {
    const sent = await showForm(null);
    await addRow();
    await enter('Name');
    expect(amounts()[0]).toHaveAccessibleDescription('Enter an amount, or remove the row');
    expect(amounts()[0]).toHaveFocus();
    expect(sent).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await enter('Name');
    await waitFor(() => expect(sent).toMatchObject([{ spendingLimits: null }]));
  });

  test('what the server says of one stands at its amount, which gets the focus', async () => {
    const path = 'spendingLimits.1.period';
    await showForm(null);
    server.use(
      http.post(TOKENS, () =>
        HttpResponse.json(
          {
            ...refusal('mlp.core.validation_error', 400),
            args: { [path]: 'raw' },
            violations: [{ path, rule: 'one_limit_per_currency', args: {} }],
          },
          { status: 400 },
        ),
      ),
    );
    await addRow();
    await addRow();
    for (const amount of amounts()) fireEvent.change(amount, { target: { value: '5' } });
    await enter('Name');
    await waitFor(() => expect(amounts()[1]).toHaveFocus());
    expect(amounts()[1]).toHaveAccessibleDescription('There is a limit of this period and currency already. Keep one.');
    expect(amounts()[0]).toBeValid();
    await userEvent.click(screen.getAllByRole('button', { name: 'Delete' })[0] as HTMLElement);
    expect(amounts()[0]).toBeInvalid();
    await userEvent.click(screen.getByRole('checkbox', { name: 'The whole amount is available at once' }));
    expect(amounts()[0]).toBeValid();
  });

  test('the focus goes to the amount of an added one, and from a removed one to the button that adds', async () => {
    await showForm(null);
    for (const at of [0, 1, 2, 3]) {
      await addRow();
      expect(amounts()[at]).toHaveFocus();
    }
    expect(screen.queryByRole('button', { name: 'Add a limit' })).not.toBeInTheDocument();
    await userEvent.click(screen.getAllByRole('button', { name: 'Delete' })[1] as HTMLElement);
    expect(screen.getByRole('button', { name: 'Add a limit' })).toHaveFocus();
  });

  test('an added one is a change of a key', async () => {
    await showForm(KEY);
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
    fill('Name', 'other');
    fill('Name', KEY.name);
    await addRow();
    expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled();
  });
});

describe('the moment when a key expires', () => {
  const HINT = 'A changed lifetime counts from the moment of saving.';
  const PAST = '2020-11-21T12:00:00Z';

  test.each([
    [KEY.expiresAt, `Expires on ${formatMoment(KEY.expiresAt ?? '', 'en')}. ${HINT}`],
    [PAST, `Expired on ${formatMoment(PAST, 'en')}. ${HINT}`],
    [null, `Never expires. ${HINT}`],
  ])('%s stands beside its lifetime', async (expiresAt, said) => {
    await showForm({ ...KEY, expiresAt });
    expect(field(LIFETIME)).toHaveAccessibleDescription(said);
  });

  test('is written as the language does', async () => {
    await showForm(KEY, 'ru');
    expect(
      screen.getByText(
        `Истекает ${formatMoment(KEY.expiresAt ?? '', 'ru')}. Изменённый срок отсчитывается от момента сохранения.`,
      ),
    ).toBeInTheDocument();
  });

  test('is not there for a new key', async () => {
    await showForm(null);
    expect(screen.queryByText(HINT)).not.toBeInTheDocument();
  });
});
