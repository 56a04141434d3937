import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

import { headingsOf } from '../../../scripts/headings';
import { addressOf, anchorOf, anchorsOf, ORDER, pagesIn, search, textOf } from './pages';

const DOCS = resolve(process.cwd(), '../docs');
const FOLDERS = { en: DOCS, ru: `${DOCS}/ru` } as const;
type Language = keyof typeof FOLDERS;
const LANGUAGES = Object.keys(FOLDERS) as Language[];

const read = (name: string, language: Language) => readFileSync(`${FOLDERS[language]}/${name}.md`, 'utf8');
const sections = (language: Language, words: string) =>
  search(pagesIn(language), words).find(({ name }) => name === 'limits')?.sections;
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');

describe.each(LANGUAGES.flatMap((language) => ORDER.map((name) => ({ name, language }))))(
  '$name in $language',
  ({ name, language }) => {
    test('is loaded from the repository', async () => {
      expect(await textOf(name, language)?.()).toBe(read(name, language));
      expect(pagesIn(language).find((page) => page.name === name)?.title).toBe(headingsOf(read(name, language)).title);
    });

    test('has no broken link', () => {
      const links = [...withoutCode(read(name, language)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
      const broken = links.filter((href) => {
        const address = addressOf(href, name);
        if (address === null) return !existsSync(resolve(FOLDERS[language], href.replace(/#.*$/, '')));
        if (address.startsWith('http')) return false;
        const [page = '', anchor] = address.replace('/docs/', '').split('#');
        return anchor !== undefined && ![...anchorsOf(page, language).values()].includes(anchor);
      });
      expect(broken).toEqual([]);
    });

    test('has an anchor for each heading: that of the English page', () => {
      expect([...anchorsOf(name, language).keys()]).toEqual(headingsOf(read(name, language)).headings);
      expect([...anchorsOf(name, language).values()]).toEqual(headingsOf(read(name, 'en')).headings.map(anchorOf));
    });
  },
);

test('each translated page is shown', () => {
  expect(new Set(readdirSync(FOLDERS.ru))).toEqual(new Set(ORDER.map((name) => `${name}.md`)));
});

test('a link leads to a page of the interface, to another site, or nowhere', () => {
  expect(addressOf('limits.md#storage', 'archive')).toBe('/docs/limits#storage');
  expect(addressOf('#io-steps', 'tasks')).toBe('/docs/tasks#io-steps');
  expect(addressOf('https://example.org/', 'tasks')).toBe('https://example.org/');
  for (const href of ['operating.md', '../README.md', '../operating.md', 'javascript:alert(1)', '//evil.example/x.md'])
    expect(addressOf(href, 'tasks')).toBeNull();
});

test('an anchor is that of GitHub', () => {
  expect(anchorOf('On the gRPC port: `a`, b')).toBe('on-the-grpc-port-a-b');
});

test('a search finds titles and sections that have all words, in the language of the page', () => {
  expect(sections('en', 'STORAGE')).toEqual([{ title: 'Storage', anchor: 'storage' }]);
  expect(sections('ru', 'storage')).toBeUndefined();
  expect(sections('ru', 'хранил')?.map(({ anchor }) => anchor)).toEqual(['storage']);
  expect(search(pagesIn('en'), 'no such words')).toEqual([]);
  expect(search(pagesIn('en'), ' ')).toHaveLength(ORDER.length);
});
