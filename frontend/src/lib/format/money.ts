/** Rounds towards zero at the second decimal: nobody should see money that does not exist. */
export function flooredToCents(amount: number): number {
  // Through text: 1.15 * 100 is 114.99999999999999.
  const [whole = '0', fraction = ''] = toPlain(Math.abs(amount)).split('.');
  const cents = Number(whole) + Number(`0.${fraction.slice(0, 2).padEnd(2, '0')}`);
  return amount < 0 ? -cents : cents;
}

function toPlain(amount: number): string {
  return amount.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 12 });
}

const THIN_SPACE = '\u202f';

/** Two decimals, thin spaces between thousands. */
export function formatAmount(amount: number): string {
  const [whole = '0', cents = '00'] = Math.abs(flooredToCents(amount)).toFixed(2).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE);
  return `${amount < 0 ? '−' : ''}${grouped}.${cents}`;
}

export function formatRubles(amount: number): string {
  return `${formatAmount(amount)}\u00a0₽`;
}

/** A price keeps its small digits: a call may cost far less than a hundredth. */
export function formatPrice(amount: number): string {
  return amount !== 0 && Math.abs(amount) < 0.01 ? String(Number(amount.toPrecision(2))) : formatAmount(amount);
}
