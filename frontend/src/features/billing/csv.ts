import type { Statement } from '@/api/generated/billing.gen';

/** What a spreadsheet would run as a formula is marked as text: names are chosen by others. */
function cell(text: string, separator: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line for each day and item, with exact amounts. Russian spreadsheets expect `;` and a decimal comma. */
export function csvOf(
  { days, items }: Pick<Statement, 'days' | 'items'>,
  names: readonly string[],
  header: readonly string[],
  language: string,
): string {
  const comma = language.startsWith('ru');
  const separator = comma ? ';' : ',';
  const number = (amount: string) => (comma ? amount.replace('.', ',') : amount);
  const lines = days.map(({ day, item, callsCount, amount }) =>
    [
      cell(day, separator),
      cell(names[item] ?? '', separator),
      cell(items[item]?.kind ?? '', separator),
      String(callsCount),
      number(amount),
    ].join(separator),
  );
  // The mark tells spreadsheets that the file is UTF-8.
  return `\uFEFF${[header.map((text) => cell(text, separator)).join(separator), ...lines].join('\r\n')}\r\n`;
}

export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
