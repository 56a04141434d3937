import type { Headings } from '../../../scripts/headings';

/**
 * The pages of `docs/` that are for callers and authors of services, in reading order. Those for operators and developers stay in
 * the repository. A new page must be named here and in both patterns.
 */
export const ORDER = ['calls', 'predictions', 'adapters', 'errors', 'limits', 'settlement', 'payments', 'http-instances', 'secrets', 'buckets', 'caching', 'archive', 'tasks', 'sign-in'] as const;

const INDEX = import.meta.glob<Headings>('../../../../docs/{calls,predictions,adapters,errors,limits,settlement,payments,http-instances,secrets,buckets,caching,archive,tasks,sign-in}.md', {
  query: '?headings',
  import: 'default',
  eager: true,
});
const TEXTS = import.meta.glob<string>('../../../../docs/{calls,predictions,adapters,errors,limits,settlement,payments,http-instances,secrets,buckets,caching,archive,tasks,sign-in}.md', {
  query: '?raw',
  import: 'default',
});

export interface DocumentationPage extends Headings {
  name: string;
}

const fileOf = (name: string) => `../../../../docs/${name}.md`;

export const PAGES: readonly DocumentationPage[] = ORDER.map((name) => ({ name, ...(INDEX[fileOf(name)] ?? { title: name, sections: [] }) }));

export function textOf(name: string): (() => Promise<string>) | undefined {
  return TEXTS[fileOf(name)];
}

/** Pages whose title or a section has all words, with the sections that do. */
export function search(words: string): DocumentationPage[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
  if (wanted.length === 0) return [...PAGES];
  return PAGES.flatMap((page) => {
    const sections = page.sections.filter(has);
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
