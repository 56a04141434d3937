/** Numbers of the key form stay the text that was typed, until the form is sent. */

import { inDigits } from '@/lib/format/number';

export interface Bounds {
  least: number;
  most: number;
  /** Decimal places; 0: whole numbers only. */
  decimals: number;
}

export type NumberFault = 'whole' | 'number' | 'least' | 'most' | 'decimals' | 'digits' | 'thousands';

/** The server takes 2^63 - 1, but JSON in browsers is exact up to this only. */
export const COUNT: Bounds = { least: 1, most: Number.MAX_SAFE_INTEGER, decimals: 0 };
/** As in `Amount` of `mlpcore/features/api_keys/schemas.py`; nano-units are its smallest. */
export const MONEY: Bounds = { least: 0, most: 9_000_000_000, decimals: 9 };

const GROUPED = /^-?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d*)?$/;
const NUMBER = /^-?(?:\d+(?:[.,](?<fraction>\d*))?|[.,](?<only>\d+))$/;
/** In English a comma separates thousands, in Russian decimals. */
const THOUSANDS = /^-?[1-9]\d{0,2},\d{3}$/;

/** Without spaces between thousands, and with an ASCII minus. */
function plain(text: string): string {
  const trimmed = text.trim().replace('\u2212', '-');
  return GROUPED.test(trimmed) ? trimmed.replaceAll(/[ \u00a0\u202f]/g, '') : trimmed;
}

const asNumber = (text: string) => Number(plain(text).replace(',', '.'));

/** An empty text is no number; every other text must be one: `faultOfNumber` finds what is not. */
export const numberOf = (text: string): number | null => (text.trim() === '' ? null : asNumber(text));

/** All digits without an exponent, as people write small amounts. */
export function textOf(value: number | string | null | undefined): string {
  return value === null || value === undefined ? '' : inDigits(value, MONEY.decimals);
}

/** What is wrong with a text that is not empty; null if nothing is. */
export function faultOfNumber(text: string, { least, most, decimals }: Bounds): NumberFault | null {
  const written = plain(text);
  const { fraction, only } = NUMBER.exec(written)?.groups ?? {};
  if (!NUMBER.test(written) || (decimals === 0 && /[.,]/.test(written))) return decimals === 0 ? 'whole' : 'number';
  if (THOUSANDS.test(written)) return 'thousands';
  const value = asNumber(written);
  if (value < least) return 'least';
  if (value > most) return 'most';
  if ((fraction ?? only ?? '').replace(/0+$/, '').length > decimals) return 'decimals';
  return digitsOf(written) === digitsOf(String(value)) ? null : 'digits';
}

/** Significant digits: a number that lost some has others. */
const digitsOf = (text: string) =>
  text
    .replace(/e.*$/, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');
