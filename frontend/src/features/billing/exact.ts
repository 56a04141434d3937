import { kept, pageLanguage } from '@/lib/format/language';
import { withThinSpaces } from '@/lib/format/number';

/** Exact amounts come as decimal texts; numbers would round them. Sums are of whole billionths. */
const DIGITS = 9;
const CENTS = 2;

/** The amount in billionths. */
export function nanoOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const nano = BigInt(whole + fraction.padEnd(DIGITS, '0').slice(0, DIGITS));
  return amount.startsWith('-') ? -nano : nano;
}

export function amountOf(nano: bigint): string {
  const text = (nano < 0n ? -nano : nano).toString().padStart(DIGITS + 1, '0');
  return `${nano < 0n ? '-' : ''}${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`.replace(/\.?0+$/, '');
}

export function sumOf(amounts: readonly string[]): string {
  return amountOf(amounts.reduce((sum, amount) => sum + nanoOf(amount), 0n));
}

/** As many decimals as the longest amount needs, at least two: then what is shown adds up as exactly as what is not. */
export function decimalsOf(amounts: readonly string[]): number {
  return Math.max(CENTS, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0));
}

const formats = kept((key) => {
  const [language = 'en', digits = '2'] = key.split('/');
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: Number(digits),
    maximumFractionDigits: Number(digits),
  });
});

/** With thin spaces between thousands; the text is never read as a float. */
export function formatExact(amount: string, decimals: number, language = pageLanguage()): string {
  return withThinSpaces(formats(`${language}/${decimals}`), amount);
}
