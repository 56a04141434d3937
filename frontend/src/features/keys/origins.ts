export const ANY_ORIGIN = '*';
export const MOST_ORIGINS = 20;
const MOST_ORIGIN = 300;
const MOST_HOST = 253;
const SHAPE = /^https?:\/\/(\[[\da-f:.]+\]|[^\s/?#@:%[\]\\*]+)(?::\d{1,5})?\/?$/i;
const NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.?$/;
const ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * The origin in the form that browsers send and the server stores, or `*` for any; null for what is no origin.
 *
 * The server judges; its rule is in `libs/kit/src/mlplace_kit/web_origins.py`. Names that only Python cannot translate to ASCII
 * are origins here: the server gets them in ASCII.
 */
export function originOf(text: string): string | null {
  if (text === ANY_ORIGIN) return text;
  const host = text.length <= MOST_ORIGIN ? SHAPE.exec(text)?.[1] : undefined;
  const url = host === undefined ? null : parsed(text);
  if (!host || !url || url.port === '0' || url.hostname.length > MOST_HOST) return null;
  // Browsers read 1.2.3 as an address with other numbers, which nobody means.
  const isName = NAME.test(url.hostname) && (!ADDRESS.test(url.hostname) || url.hostname === host);
  return isName || host.startsWith('[') ? url.origin : null;
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Each origin once, in the form that is stored; what is no origin stays as it is. */
export const originsOf = (texts: readonly string[]) => [...new Set(texts.map((text) => originOf(text) ?? text))];

export const allowsAny = (origins: readonly string[]) => origins.includes(ANY_ORIGIN);

export const isNoOrigin = (text: string) => originOf(text) === null;

/** Short enough for a line: most sites have https. */
export const siteOf = (origin: string) => origin.replace(/^https:\/\//, '');
