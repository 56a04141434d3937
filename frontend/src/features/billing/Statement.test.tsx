import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';

import { show } from '@/testing/render';
import { ANN, answers, refusal, server, signedIn } from '@/testing/server';

import * as csv from './csv';
import { Forecast } from './Forecast';
import { Statement } from './Statement';

const ACCOUNT = ANN.accountId ?? 0;
const BASE = `/api/mlpbilling/account/${ACCOUNT}`;
const STATEMENT = {
  direction: 'SPENDING',
  split: 'SERVICE',
  first: '2026-11-01',
  last: '2026-11-03',
  timeZone: 'UTC',
  currency: 'RUBLE',
  total: '2.0005',
  items: [
    { kind: 'MODEL', id: 20, accountId: 2, accountName: 'Acme', name: 'ner', callsCount: 3, amount: '1.5005' },
    { kind: 'SERVER', id: null, accountId: 2, accountName: 'Acme', name: 'gpu', callsCount: 0, amount: '0.5' },
  ],
  days: [
    { day: '2026-11-01', item: 0, callsCount: 3, amount: '1.5005' },
    { day: '2026-11-03', item: 1, callsCount: 0, amount: '0.5' },
  ],
  balanceChange: {
    opening: '10',
    calls: '-1.5005',
    hosting: '-0.5',
    refills: '5',
    bonuses: '0',
    fromIncome: '0',
    closing: '12.9995',
  },
};
const CALL = {
  usageId: 'u1',
  date: '2026-11-01T10:00:00Z',
  requestId: 'req-77',
  operation: 'predict',
  modelAccountId: 2,
  modelId: 20,
  modelName: 'ner',
  payerAccountId: ACCOUNT,
  payerName: 'acme',
  keyId: 1,
  units: 1,
  amount: '1.5005',
};
const PERIOD = '/?period=custom&first=2026-11-01&last=2026-11-03';

/** Answers with the statement, and remembers what was asked. */
function stated(body: object = STATEMENT): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  signedIn();
  answers(`/api/mlpcore/account/${ACCOUNT}/token`, [{ token: `${ACCOUNT}.1.***`, name: 'production' }]);
  server.use(
    http.get(`*${BASE}/statement`, ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return HttpResponse.json(body as never);
    }),
  );
  return asked;
}

const table = () => screen.getAllByRole('table').at(-1) as HTMLElement;

describe('a statement', () => {
  test('shows the same exact amounts as chart, rows, total and balance', async () => {
    stated();
    show(<Statement accountId={ACCOUNT} earns={false} />, { path: PERIOD });
    expect(await screen.findByText('Total: 2.0005')).toBeInTheDocument();
    expect(
      within(table())
        .getAllByRole('row')
        .map((row) => row.textContent),
    ).toEqual(['NameCallsAmount', 'Acme/ner 31.5005', 'Acme/gpu server–0.5000']);
    const change = screen.getByRole('region', { name: 'How the balance changed' });
    expect([...change.querySelectorAll('dd')].map(({ textContent }) => textContent)).toEqual([
      '10.0000',
      '+5.0000',
      '−1.5005',
      '−0.5000',
      '12.9995',
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Show as a table' }));
    expect(screen.getByRole('rowheader', { name: 'Sun, November 1, 2026' }).parentElement).toHaveTextContent(
      '1.50050.00001.5005',
    );
  });

  test.each([
    ['first', { first: '' }],
    ['last', { last: 'soon' }],
    ['both', { first: 'x', last: 'y' }],
  ])('a day of the answer that is none takes nothing else away: %s', async (_, days) => {
    stated({ ...STATEMENT, ...days });
    show(<Statement accountId={ACCOUNT} earns={false} />, { path: `${PERIOD}&rows=days` });
    expect(await screen.findByText('Total: 2.0005')).toBeInTheDocument();
    const change = screen.getByRole('region', { name: 'How the balance changed' });
    expect(change).toHaveTextContent('–');
    expect(change).toHaveTextContent('12.9995');
  });

  test('an invalid day in the address is not shown as one, and what is behind it is asked for', async () => {
    stated();
    answers(`${BASE}/statement/calls`, {
      total: '0',
      records: [],
      paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 50 },
    });
    answers(`${BASE}/statement/rents`, {
      total: '0',
      records: [],
      paging: { totalElements: 0, totalPages: 0, pageNumber: 0, pageSize: 50 },
    });
    show(<Statement accountId={ACCOUNT} earns={false} />, { path: `${PERIOD}&behind=ALL&day=never` });
    expect(await screen.findByRole('dialog', { name: /– – –/ })).toBeInTheDocument();
  });

  test('one period rules everything, and is in the address', async () => {
    const asked = stated();
    const { history } = show(<Statement accountId={ACCOUNT} earns={false} />, { path: PERIOD });
    await screen.findByText('Total: 2.0005');
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      direction: 'SPENDING',
      split: 'SERVICE',
      first: '2026-11-01',
      last: '2026-11-03',
    });
    await userEvent.click(screen.getByRole('radio', { name: 'Month' }));
    expect(history.location.search).toBe('?period=month&month=2026-11');
    await userEvent.click(screen.getByRole('button', { name: 'Previous month' }));
    expect(history.location.search).toBe('?period=month&month=2026-10');
    await vi.waitFor(() => expect(asked.at(-1)?.get('last')).toBe('2026-10-31'));
    const saved = vi.spyOn(csv, 'save').mockImplementation(() => undefined);
    await userEvent.click(screen.getByRole('button', { name: 'Download CSV' }));
    expect(saved).toHaveBeenCalledWith(
      'spending-2026-11-01-2026-11-03.csv',
      expect.stringContaining('2026-11-01,Acme/ner,MODEL,3,1.5005'),
    );
    saved.mockRestore();
  });

  test('each number leads to the calls behind it, and back', async () => {
    stated();
    let asked: URLSearchParams | undefined;
    server.use(
      http.get(`*${BASE}/statement/calls`, ({ request }) => {
        asked = new URL(request.url).searchParams;
        return HttpResponse.json({
          total: '1.5005',
          records: [CALL],
          paging: { totalElements: 1, totalPages: 1, pageNumber: 0, pageSize: 50 },
        });
      }),
    );
    const { history } = show(<Statement accountId={ACCOUNT} earns={false} />, { path: PERIOD });
    await screen.findByText('Total: 2.0005');
    await userEvent.click(within(table()).getByRole('button', { name: '1.5005: what it consists of, Acme/ner' }));
    const drawer = await screen.findByRole('dialog', { name: /November 1.–.3, 2026/ });
    expect(await within(drawer).findByText('req-77')).toBeInTheDocument();
    expect(within(drawer).getByText('production')).toBeInTheDocument();
    expect(within(drawer).getByText('Total of 1 entry')).toBeInTheDocument();
    expect([asked?.get('modelId'), asked?.get('first'), asked?.get('last')]).toEqual([
      '20',
      '2026-11-01',
      '2026-11-03',
    ]);
    await userEvent.click(within(drawer).getByRole('button', { name: 'Close' }));
    expect(history.location.search).toBe('?period=custom&first=2026-11-01&last=2026-11-03');
  });

  test('owners choose between spending and income', async () => {
    const asked = stated();
    show(<Statement accountId={ACCOUNT} earns />, { path: PERIOD, language: 'ru' });
    await userEvent.click(await screen.findByRole('radio', { name: 'Доход' }));
    await userEvent.click(await screen.findByRole('radio', { name: 'По плательщикам' }));
    await vi.waitFor(() =>
      expect([asked.at(-1)?.get('direction'), asked.at(-1)?.get('split')]).toEqual(['INCOME', 'PAYER']),
    );
  });

  test('nothing says so, and a refusal can be tried again', async () => {
    stated({ ...STATEMENT, items: [], days: [], total: '0' });
    show(<Statement accountId={ACCOUNT} earns={false} />, { path: PERIOD });
    expect(await screen.findByText('Nothing in this time')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Download CSV' })).not.toBeInTheDocument();
    answers(`${BASE}/statement`, refusal('mlp.core.unavailable', 503), 503);
    await userEvent.click(screen.getByRole('radio', { name: '7 days' }));
    expect(await screen.findByRole('alert')).toBeInTheDocument();
  });
});

const forecast = (enoughForDays: number | null) => {
  signedIn();
  answers(`${BASE}/balance/forecast`, {
    since: '2026-11-17T10:00:00Z',
    until: '2026-11-24T10:00:00Z',
    calls: '60',
    hosting: '24.5',
    perDay: '12.071428571',
    enoughForDays,
  });
};

describe('how long the balance lasts', () => {
  test.each([
    [12, 'При нынешних расходах хватит примерно на 12 дней'],
    [1, 'При нынешних расходах хватит примерно на 1 день'],
    [0, 'При нынешних расходах хватит меньше чем на день'],
    [900, 'При нынешних расходах хватит больше чем на год'],
  ])('%d days', async (days, text) => {
    forecast(days);
    show(<Forecast accountId={ACCOUNT} unit="₽" />, { language: 'ru' });
    await userEvent.hover(await screen.findByRole('button', { name: text }));
    expect(
      await screen.findByText(/потрачено на вызовы 60,00 ₽, на хостинг 24,50 ₽: в среднем 12,07 ₽ в день/),
    ).toBeInTheDocument();
  });

  test('is said also when the answer has no valid days', async () => {
    signedIn();
    answers(`${BASE}/balance/forecast`, {
      since: '',
      until: 'x',
      calls: '60',
      hosting: '24.5',
      perDay: '12',
      enoughForDays: 12,
    });
    show(<Forecast accountId={ACCOUNT} unit="₽" />);
    expect(await screen.findByRole('button')).toBeInTheDocument();
  });

  test('is not said where nobody can know it', async () => {
    forecast(null);
    const { container, store } = show(<Forecast accountId={ACCOUNT} unit="₽" />);
    await vi.waitFor(() => expect(JSON.stringify(store.getState())).toContain('enoughForDays'));
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
    expect(container.querySelector('p')).toBeInTheDocument();
  });
});
