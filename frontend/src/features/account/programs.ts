/** Most exact first: many browsers also name those that they are made from. */
const BROWSERS: readonly [RegExp, string][] = [
  [/YaBrowser/, 'Yandex Browser'],
  [/Edg\w*\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Version\/.*Safari/, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const nameIn = (names: readonly [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1];

/** The browser and its system, or the program that is not a browser, from the header User-Agent; null if it says neither. */
export function programOf(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const [browser, system] = [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)];
  if (browser || system) return [browser, system].filter(Boolean).join(', ');
  return /^[\w-]+\/[\w.]+/.exec(userAgent)?.[0] ?? null;
}
