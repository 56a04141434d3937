import { type State } from '../samples.ts';
import { ago, DAYS, type Fact, HOUR, MINUTE, records, type Row, wave } from './base.ts';

const A_DAY = [38, 21, 9, 14];
const ITEMS = ['ner-ru', 'whisper-large', 'sbert-large', 'main'];

const sum = (rows: { amount: string }[]) => rows.reduce((total, { amount }) => total + Number(amount), 0).toFixed(2);

function statement(body: Row, state: State) {
  if (state === 'empty')
    return {
      ...body,
      first: ago(29 * 24 * HOUR).slice(0, 10),
      last: ago(0).slice(0, 10),
      currency: 'RUBLE',
      total: '0.00',
      days: [],
      items: [],
      balanceChange: {
        opening: '0.00',
        calls: '0.00',
        hosting: '0.00',
        refills: '0.00',
        bonuses: '0.00',
        fromIncome: '0.00',
        closing: '0.00',
      },
    };
  const scale = state === 'crowded' ? 48_000 : 1;
  const spent = (item: number, day: number) =>
    Math.round(100 * scale * wave(day, item) * (A_DAY[item % A_DAY.length] ?? 0)) / 100;
  const items =
    state === 'crowded' ? [...ITEMS, ...ITEMS.map((name) => `${name}-with-a-long-name-of-a-second-region`)] : ITEMS;
  const days = Array.from({ length: DAYS }, (_, day) =>
    items.map((_item, item) => ({
      day: ago((DAYS - day - 1) * 24 * HOUR).slice(0, 10),
      item,
      callsCount: Math.round(wave(day, item) * 900),
      amount: spent(item, day).toFixed(2),
    })),
  ).flat();
  const total = sum(days);
  return {
    ...body,
    first: days[0]?.day,
    last: days.at(-1)?.day,
    currency: 'RUBLE',
    total,
    days,
    items: items.map((name, item) => ({
      kind: name.startsWith('main') ? 'RESOURCE_GROUP' : 'MODEL',
      id: item + 1,
      accountId: 1,
      accountName: 'acme',
      name,
      callsCount: days.filter((row) => row.item === item).reduce((count, row) => count + row.callsCount, 0),
      amount: sum(days.filter((row) => row.item === item)),
    })),
    balanceChange: {
      opening: '3480.10',
      calls: `-${total}`,
      hosting: '-420.00',
      refills: '2000.00',
      bonuses: '100.00',
      fromIncome: '0.00',
      closing: '1234.50',
    },
  };
}

export const FACTS: readonly Fact[] = [
  [/\/statement$/, statement],
  [
    /\/balance\/forecast$/,
    (body: Row) => ({ ...body, calls: '82.10', hosting: '14.00', perDay: '96.10', enoughForDays: 12 }),
  ],
  [
    /\/refill\/history$/,
    (body: Row[]) => body.map((row, at) => ({ ...row, currency: 'RUBLE', amountCurrency: 500 * (1 + (at % 4)) })),
  ],
  [
    /\/balance$/,
    (body: Row) => ({
      ...body,
      belowZeroSince: null,
      balances: [{ currency: 'RUBLE', mainNano: 1_234_500_000_000, incomeNano: 0, heldNano: 0 }],
    }),
  ],
  [/\/ledger\/verification$/, (body: Row) => ({ ...body, drifts: [], unbalancedTransactions: 0 })],
  [
    /\/statement\/calls$/,
    (body: { records: Row[]; paging: Row }, state) => ({
      ...body,
      ...records(body, state, (row, at) => ({
        ...row,
        date: ago(at * 9 * MINUTE),
        requestId: `7f3c0a52b1${at}`,
        operation: 'predict',
        modelName: ITEMS[at % 3],
        units: 1,
        amount: '0.40',
      })),
    }),
  ],
];
