import { kept, pageLanguage } from './language';
import { withThinSpaces } from './number';

// Intl has only decimal units of storage; memory and disks are counted in binary ones.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const RUSSIAN = ['Б', 'КиБ', 'МиБ', 'ГиБ', 'ТиБ', 'ПиБ'];
const STEP = 1024;
const DIGITS = 3;

const numbers = [0, 1, 2].map((digits) =>
  kept((language) => new Intl.NumberFormat(language, { maximumFractionDigits: digits })),
);

/** A size for people: three significant digits, all digits of whole units, in the page's language. */
export function formatBytes(bytes: number, language = pageLanguage()): string {
  const units = language.startsWith('ru') ? RUSSIAN : UNITS;
  const power = bytes > 0 ? Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), units.length - 1) : 0;
  const amount = bytes / STEP ** power;
  const decimals = Math.max(0, DIGITS - String(Math.trunc(amount)).length);
  const format = numbers[decimals]?.(language) ?? new Intl.NumberFormat(language);
  return `${withThinSpaces(format, amount)}\u00a0${units[power] ?? ''}`;
}
