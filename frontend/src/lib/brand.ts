import { createContext, useContext } from 'react';

/** A host's brand. Spacing, sizes and colours of states are the same for all. */
export interface Brand {
  title: string;
  /** URL of an image. */
  icon: string;
  /** URL of an image beside the title; without one, the mark is drawn in the accent colour. */
  logo: string | null;
  /** Canonical origin for search engines; null: the visited one. */
  canonical: string | null;
  /** `branded` puts the header on a band in the accent colour. */
  header: 'standard' | 'branded';
  /** Ten shades of one hue, from light to dark. */
  accent: readonly string[];
  radius: number;
  fontFamily: string | null;
  /** The start page: its heading and text by language, and a picture (URL); null: the platform's own. */
  landing: Landing;
}

export interface Landing {
  title: Partial<Record<string, string>>;
  text: Partial<Record<string, string>>;
  picture: string | null;
}

export interface Options {
  default: string;
  /** Maps host names, or `*.` with a suffix, to brands. */
  hosts: Record<string, string>;
  brands: Record<string, Partial<Brand>>;
}

export const STANDARD: Brand = {
  title: 'MLPlace',
  icon: '/favicon.svg',
  logo: null,
  canonical: null,
  header: 'standard',
  accent: [
    '#f1f0ff',
    '#e0ddfc',
    '#bfb8f6',
    '#9c92f0',
    '#7e71eb',
    '#6a5ce8',
    '#5d4fdb',
    '#4c3fc2',
    '#4237ae',
    '#362d99',
  ],
  radius: 6,
  fontFamily: null,
  landing: { title: {}, text: {}, picture: null },
};

const COLOUR = /^#[0-9a-f]{6}$/i;

/** An exact match first, then the longest matching suffix. */
function brandName({ default: other, hosts }: Options, host: string): string {
  const exact = hosts[host];
  if (exact) return exact;
  const endings = Object.keys(hosts).filter((pattern) => pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
  const longest = endings.toSorted((one, another) => another.length - one.length)[0];
  return (longest && hosts[longest]) ?? other;
}

/** A path on this site, or an https URL. */
function address(value: unknown): value is string {
  return typeof value === 'string' && /^(?:\/(?!\/)|https:\/\/)/.test(value);
}

/** The texts by language; everything else is left out. */
function texts(value: unknown): Partial<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
    ),
  );
}

function landingOf(value: unknown): Landing {
  const { title, text, picture } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return { title: texts(title), text: texts(text), picture: address(picture) ? picture : null };
}

/** Missing or invalid values are replaced by the standard brand's. */
export function brandOf(options: Options, host: string): Brand {
  const given: Partial<Brand> = options.brands[brandName(options, host.toLowerCase())] ?? {};
  const { title, icon, logo, canonical, header, accent, radius, fontFamily, landing } = given;
  return {
    title: typeof title === 'string' && title ? title : STANDARD.title,
    icon: address(icon) ? icon : STANDARD.icon,
    logo: address(logo) ? logo : STANDARD.logo,
    canonical:
      typeof canonical === 'string' && /^https?:\/\//.test(canonical)
        ? canonical.replace(/\/$/, '')
        : STANDARD.canonical,
    header: header === 'branded' ? 'branded' : 'standard',
    accent:
      Array.isArray(accent) && accent.length === 10 && accent.every((colour) => COLOUR.test(String(colour)))
        ? accent
        : STANDARD.accent,
    radius: typeof radius === 'number' && radius >= 0 && radius <= 16 ? radius : STANDARD.radius,
    fontFamily: typeof fontFamily === 'string' ? fontFamily : STANDARD.fontFamily,
    landing: landingOf(landing),
  };
}

const PATIENCE_MS = 3000;

/** The brand of the visited host; the standard brand if the options cannot be read. */
export async function loadBrand(host: string = window.location.hostname): Promise<Brand> {
  try {
    const answer = await fetch('/options/options.json', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? brandOf((await answer.json()) as Options, host) : STANDARD;
  } catch {
    return STANDARD;
  }
}

/** Title, icon and canonical address are outside the elements that React renders. */
export function applyBrand(brand: Brand, page: Document = document): void {
  page.title = brand.title;
  link(page, 'icon').href = brand.icon;
  const path = page.defaultView?.location.pathname ?? '/';
  link(page, 'canonical').href = `${brand.canonical ?? page.defaultView?.location.origin ?? ''}${path}`;
}

function link(page: Document, rel: string): HTMLLinkElement {
  const found = page.querySelector<HTMLLinkElement>(`link[rel="${rel}"]`);
  if (found) return found;
  const made = page.createElement('link');
  made.rel = rel;
  page.head.append(made);
  return made;
}

export const BrandContext = createContext<Brand>(STANDARD);

export function useBrand(): Brand {
  return useContext(BrandContext);
}
