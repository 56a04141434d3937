const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const RUSSIAN = ['Б', 'КиБ', 'МиБ', 'ГиБ', 'ТиБ', 'ПиБ'];
const STEP = 1024;
const DIGITS = 3;

/** A size for people: three significant digits, all digits of whole units, in the page's language. */
export function formatBytes(bytes: number, language: string): string {
  const units = language.startsWith('ru') ? RUSSIAN : UNITS;
  const power = bytes > 0 ? Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), units.length - 1) : 0;
  const amount = bytes / STEP ** power;
  const whole = String(Math.trunc(amount)).length;
  const shown = new Intl.NumberFormat(language, { maximumFractionDigits: Math.max(0, DIGITS - whole) }).format(amount);
  return `${shown}\u00a0${units[power] ?? ''}`;
}
