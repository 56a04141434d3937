import { kept, pageLanguage } from './language';

const THIN_SPACE = '\u202f';
const MINUS = '\u2212';
const SHORTENED_FROM = 10_000;

const plain = kept((language) => new Intl.NumberFormat(language));
const compact = kept(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 }),
);

/** What Intl writes, but with thin spaces between thousands and a real minus in every language. */
export function withThinSpaces(format: Intl.NumberFormat, amount: number | string): string {
  // As text, since 1.15 as a number is 1.149999…; Intl then truncates what people see.
  const parts = format.formatToParts(String(amount) as Intl.StringNumericLiteral);
  return parts
    .map(({ type, value }) => (type === 'group' ? THIN_SPACE : type === 'minusSign' ? MINUS : value))
    .join('');
}

export function formatNumber(amount: number, language = pageLanguage()): string {
  return withThinSpaces(plain(language), amount);
}

const scores = kept(
  (language) => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
);
const shares = kept(
  (language) =>
    new Intl.NumberFormat(language, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

/** Two decimals, so that scores stand below each other. */
export function formatScore(score: number, language = pageLanguage()): string {
  return withThinSpaces(scores(language), score);
}

/** A share of one as a percentage with one decimal. */
export function formatShare(share: number, language = pageLanguage()): string {
  return withThinSpaces(shares(language), share);
}

export const isShortened = (amount: number): boolean => Math.abs(amount) >= SHORTENED_FROM;

/** Three digits are enough to compare large counts: 12.4K. */
export function formatShort(amount: number, language = pageLanguage()): string {
  return isShortened(amount) ? withThinSpaces(compact(language), amount) : formatNumber(amount, language);
}

/** All digits without an exponent, as people type small amounts: for a field, so without separators. */
export function inDigits(amount: number | string, decimals: number): string {
  return typeof amount === 'number' && amount !== 0 && Math.abs(amount) < 1e-6
    ? amount.toFixed(decimals).replace(/0+$/, '')
    : String(amount);
}
