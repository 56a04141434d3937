import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

import { addressOf, anchorOf, ORDER, PAGES, search, textOf } from './pages';

const DOCS = resolve(process.cwd(), '../docs');
const read = (name: string) => readFileSync(`${DOCS}/${name}.md`, 'utf8');
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
const anchors = (name: string) => [...read(name).replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(ORDER)('%s', (name) => {
  test('is loaded from the repository', async () => {
    expect(await textOf(name)?.()).toBe(read(name));
    expect(PAGES.find((page) => page.name === name)?.title).not.toBe('');
  });

  test('has no broken link', () => {
    const links = [...withoutCode(read(name)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
    const broken = links.filter((href) => {
      const address = addressOf(href, name);
      if (address === null) return !existsSync(resolve(DOCS, href.replace(/#.*$/, '')));
      if (address.startsWith('http')) return false;
      const [page = '', anchor] = address.replace('/docs/', '').split('#');
      return anchor !== undefined && !anchors(page).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

test('a link leads to a page of the interface, to another site, or nowhere', () => {
  expect(addressOf('limits.md#storage', 'archive')).toBe('/docs/limits#storage');
  expect(addressOf('#io-steps', 'tasks')).toBe('/docs/tasks#io-steps');
  expect(addressOf('https://example.org/', 'tasks')).toBe('https://example.org/');
  for (const href of ['operating.md', '../README.md', 'javascript:alert(1)', '//evil.example/x.md']) expect(addressOf(href, 'tasks')).toBeNull();
});

test('an anchor is that of GitHub', () => {
  expect(anchorOf('On the gRPC port: `a`, b')).toBe('on-the-grpc-port-a-b');
});

test('a search finds titles and sections that have all words', () => {
  expect(search('STORAGE').find(({ name }) => name === 'limits')?.sections).toContain('Storage');
  expect(search('no such words')).toEqual([]);
  expect(search(' ')).toHaveLength(ORDER.length);
});
