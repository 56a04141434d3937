import type { Headings } from '../../../scripts/headings';

/**
 * The pages of `docs/` that are for callers and authors of services, in reading order; `docs/ru/` has them in Russian. Most of
 * those for operators and developers stay in the repository. A new page must be named here and in each pattern.
 */
export const ORDER = [
  'quickstart',
  'calls',
  'predictions',
  'adapters',
  'errors',
  'limits',
  'settlement',
  'payments',
  'http-instances',
  'versions',
  'secrets',
  'buckets',
  'datasets',
  'data-images',
  'caching',
  'archive',
  'placement',
  'autoscaling',
  'instance-life',
  'tasks',
  'notifications',
  'sign-in',
  'license',
] as const;

const INDEX = import.meta.glob<Headings>(
  [
    '../../../../docs/{quickstart,calls,predictions,adapters,errors,limits,settlement,payments,http-instances,versions,secrets,buckets,datasets,data-images,caching,archive,placement,autoscaling,instance-life,tasks,notifications,sign-in,license}.md',
    '../../../../docs/ru/{quickstart,calls,predictions,adapters,errors,limits,settlement,payments,http-instances,versions,secrets,buckets,datasets,data-images,caching,archive,placement,autoscaling,instance-life,tasks,notifications,sign-in,license}.md',
  ],
  { query: '?headings', import: 'default', eager: true },
);
const TEXTS = import.meta.glob<string>(
  [
    '../../../../docs/{quickstart,calls,predictions,adapters,errors,limits,settlement,payments,http-instances,versions,secrets,buckets,datasets,data-images,caching,archive,placement,autoscaling,instance-life,tasks,notifications,sign-in,license}.md',
    '../../../../docs/ru/{quickstart,calls,predictions,adapters,errors,limits,settlement,payments,http-instances,versions,secrets,buckets,datasets,data-images,caching,archive,placement,autoscaling,instance-life,tasks,notifications,sign-in,license}.md',
  ],
  { query: '?raw', import: 'default' },
);

export interface DocumentationPage {
  name: string;
  title: string;
  sections: readonly Section[];
}

export interface Section {
  title: string;
  anchor: string;
}

const fileOf = (name: string, language: string) => `../../../../docs/${language === 'ru' ? 'ru/' : ''}${name}.md`;
const indexOf = (name: string, language: string): Headings =>
  INDEX[fileOf(name, language)] ?? { title: name, sections: [], headings: [] };

export function pagesIn(language: string): readonly DocumentationPage[] {
  return ORDER.map((name) => {
    const { title, sections } = indexOf(name, language);
    const anchors = anchorsOf(name, language);
    return {
      name,
      title,
      sections: sections.map((section) => ({ title: section, anchor: anchors.get(section) ?? '' })),
    };
  });
}

/** What a link to a page says in place of the name of its file; undefined if the link names no file of these. */
export function titleBehind(text: string, language: string): string | undefined {
  const name = ORDER.find((page) => text === `${page}.md`);
  return name && indexOf(name, language).title;
}

/** The anchors of a page's headings: those of the English page, so that a link leads to the same place in each language. */
export function anchorsOf(name: string, language: string): ReadonlyMap<string, string> {
  const english = indexOf(name, 'en').headings;
  return new Map(indexOf(name, language).headings.map((heading, at) => [heading, anchorOf(english[at] ?? heading)]));
}

export function textOf(name: string, language: string): (() => Promise<string>) | undefined {
  return TEXTS[fileOf(name, language)];
}

/** Pages whose title or a section has all words, with the sections that do. */
export function search(pages: readonly DocumentationPage[], words: string): readonly DocumentationPage[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
  if (wanted.length === 0) return pages;
  return pages.flatMap((page) => {
    const sections = page.sections.filter(({ title }) => has(title));
    return has(page.title) || sections.length > 0 ? [{ ...page, sections }] : [];
  });
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Where a link of a page leads inside the interface; null if it leads to a file that only the repository has. */
export function addressOf(href: string, page: string): string | null {
  if (/^https?:\/\//.test(href)) return href;
  if (href.startsWith('#')) return `/docs/${page}${href}`;
  const [, name, anchor = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return name && (ORDER as readonly string[]).includes(name) ? `/docs/${name}${anchor}` : null;
}
