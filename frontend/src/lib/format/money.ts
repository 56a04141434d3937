import { kept, pageLanguage } from './language';
import { withThinSpaces } from './number';

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2, roundingMode: 'trunc' } as const;
const SMALLEST = 0.01;

const amounts = kept((language) => new Intl.NumberFormat(language, CENTS));
const smallPrices = kept((language) => new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }));
const machine = new Intl.NumberFormat('en-US', { ...CENTS, useGrouping: false });

/** Rounds towards zero at the second decimal: nobody should see money that does not exist. */
export function flooredToCents(amount: number): number {
  return Number(machine.format(String(amount) as Intl.StringNumericLiteral)) + 0;
}

/** Rounds towards zero at the third digit, as a short amount shows it. */
export function flooredToDigits(amount: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.abs(amount) || 1)) - 2);
  return Math.trunc(amount / step) * step;
}

/** Two decimals, rounded towards zero, with thin spaces between thousands. */
export function formatAmount(amount: number, language = pageLanguage()): string {
  return withThinSpaces(amounts(language), flooredToCents(amount));
}

export function formatRubles(amount: number, language = pageLanguage()): string {
  return `${formatAmount(amount, language)}\u00a0₽`;
}

/** A price keeps its small digits: a call may cost far less than a hundredth. */
export function formatPrice(amount: number, language = pageLanguage()): string {
  return amount !== 0 && Math.abs(amount) < SMALLEST
    ? withThinSpaces(smallPrices(language), amount)
    : formatAmount(amount, language);
}
