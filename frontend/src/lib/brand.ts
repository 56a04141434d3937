import { createContext, useContext } from 'react';

/** What a host shows as its own. Spacing, sizes and the colours of states are everybody's. */
export interface Brand {
  title: string;
  /** Address of an image. */
  icon: string;
  /** Address of an image beside the title; without one the mark is drawn in the accent. */
  logo: string | null;
  /** Under which address search engines know the site; null: under that of the visit. */
  canonical: string | null;
  /** `branded` puts the header on a band of the accent. */
  header: 'standard' | 'branded';
  /** Ten steps of one hue, from light to dark. */
  accent: readonly string[];
  radius: number;
  fontFamily: string | null;
}

export interface Options {
  default: string;
  /** Host name, or `*.` and the end of one, to the name of a brand. */
  hosts: Record<string, string>;
  brands: Record<string, Partial<Brand>>;
}

export const STANDARD: Brand = {
  title: 'MLPlace',
  icon: '/favicon.svg',
  logo: null,
  canonical: null,
  header: 'standard',
  accent: ['#f1f0ff', '#e0ddfc', '#bfb8f6', '#9c92f0', '#7e71eb', '#6a5ce8', '#5d4fdb', '#4c3fc2', '#4237ae', '#362d99'],
  radius: 6,
  fontFamily: null,
};

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The name itself first, then the longest ending that fits. */
function brandName({ default: other, hosts }: Options, host: string): string {
  const exact = hosts[host];
  if (exact) return exact;
  const endings = Object.keys(hosts).filter((pattern) => pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
  const longest = endings.toSorted((one, another) => another.length - one.length)[0];
  return (longest && hosts[longest]) ?? other;
}

/** An address of this site, or of another over TLS. */
function address(value: unknown): value is string {
  return typeof value === 'string' && /^(?:\/(?!\/)|https:\/\/)/.test(value);
}

/** What is missing in the file, or is not what it should be, is as in the standard brand. */
export function brandOf(options: Options, host: string): Brand {
  const given: Partial<Brand> = options.brands[brandName(options, host.toLowerCase())] ?? {};
  const { title, icon, logo, canonical, header, accent, radius, fontFamily } = given;
  return {
    title: typeof title === 'string' && title ? title : STANDARD.title,
    icon: address(icon) ? icon : STANDARD.icon,
    logo: address(logo) ? logo : STANDARD.logo,
    canonical: typeof canonical === 'string' && /^https?:\/\//.test(canonical) ? canonical.replace(/\/$/, '') : STANDARD.canonical,
    header: header === 'branded' ? 'branded' : 'standard',
    accent: Array.isArray(accent) && accent.length === 10 && accent.every((colour) => COLOUR.test(String(colour))) ? accent : STANDARD.accent,
    radius: typeof radius === 'number' && radius >= 0 && radius <= 16 ? radius : STANDARD.radius,
    fontFamily: typeof fontFamily === 'string' ? fontFamily : STANDARD.fontFamily,
  };
}

const PATIENCE_MS = 3000;

/** Of the host that is visited. A site whose options cannot be read is the standard one: better than none. */
export async function loadBrand(host: string = window.location.hostname): Promise<Brand> {
  try {
    const answer = await fetch('/options/options.json', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok ? brandOf((await answer.json()) as Options, host) : STANDARD;
  } catch {
    return STANDARD;
  }
}

/** Title, icon and canonical address belong to the document, which React does not draw. */
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
