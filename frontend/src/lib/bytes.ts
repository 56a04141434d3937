const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const STEP = 1024;

/** A size for people: three digits that matter, in the language of the page. */
export function formatBytes(bytes: number, language: string): string {
  const power = bytes > 0 ? Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length - 1) : 0;
  const shown = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }).format(bytes / STEP ** power);
  return `${shown} ${UNITS[power] ?? 'B'}`;
}
