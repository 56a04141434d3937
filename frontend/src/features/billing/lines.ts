import type { BillingDetails, HostingDetails, IncomeByModelRow, IncomeByPayerRow } from '@/api/generated/billing.gen';

/** A row of any statement. */
export interface Line {
  key: string;
  name: string;
  /** Text key of the kind of row, if the name does not say it. */
  kind: string | null;
  date: string | null;
  calls: number | null;
  amount: number;
}

export interface Lines {
  rows: Line[];
  total: number;
}

const sumOf = (rows: readonly Line[]) => rows.reduce((sum, { amount }) => sum + amount, 0);

export function bySpending({ items, total }: BillingDetails): Lines {
  return { total, rows: items.map((row) => ({ key: `${row.date}/${row.modelAccountId}/${row.modelId}`, name: row.name, kind: null, date: row.date, calls: row.callsCount, amount: row.amountCurrency })) };
}

export function byHosting({ items, total }: HostingDetails): Lines {
  return { total, rows: items.map((row, position) => ({ key: `${row.date}/${row.sourceType}/${row.sourceName}/${position}`, name: row.sourceName, kind: `hostingOf.${row.sourceType}`, date: row.date, calls: null, amount: row.amountCurrency })) };
}

export function byModel(items: readonly IncomeByModelRow[]): Lines {
  const rows = items.map((row) => ({ key: String(row.modelId), name: row.modelName, kind: null, date: null, calls: row.callsCount, amount: row.amountCurrency }));
  return { rows, total: sumOf(rows) };
}

export function byPayer(items: readonly IncomeByPayerRow[]): Lines {
  const rows = items.map((row) => ({ key: String(row.accountId), name: row.accountName, kind: null, date: null, calls: row.callsCount, amount: row.amountCurrency }));
  return { rows, total: sumOf(rows) };
}
