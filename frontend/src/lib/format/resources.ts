import { formatBytes } from './bytes';
import { formatNumber } from './number';

const MIB = 2 ** 20;
const CORE = 1000;
const HUNDREDTHS = 100;

/** MiB in the unit that fits. */
export const mebibytes = (value: number) => formatBytes(value * MIB);

/** Thousandths of a core as cores. */
export const cores = (value: number) => formatNumber(Math.round((value / CORE) * HUNDREDTHS) / HUNDREDTHS);

const FACTORS: Record<string, number> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** The number that a quantity in the notation of Kubernetes stands for (`64Gi`, `500M`, `250m`); null for what is none. */
export function amountOf(text: string): number | null {
  const [, amount, unit = ''] = /^(\d+\.?\d*|\.\d+)(m|[kKMGTP]i?)?$/.exec(text.trim()) ?? [];
  const factor = FACTORS[unit];
  return amount === undefined || factor === undefined ? null : Number(amount) * factor;
}

/** A quantity of bytes as the server writes it (`64Gi`, `500M`) in the unit that fits; what is none, unchanged. */
export function quantity(text: string, language?: string): string {
  const amount = amountOf(text);
  return amount === null ? text : formatBytes(amount, language);
}
