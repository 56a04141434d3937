import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

import { FIRST_SECTIONS, LATER_SECTIONS } from '@/lib/firstSections';
import en from '@/locales/en.json';
import first from '@/locales/en.json?first';
import later from '@/locales/en.json?later';
import rest from '@/locales/en.json?rest';

test('each section is in one part', () => {
  expect(new Set(Object.keys(first))).toEqual(FIRST_SECTIONS);
  expect(new Set(Object.keys(later))).toEqual(LATER_SECTIONS);
  expect({ ...first, ...rest, ...later }).toEqual(en);
  expect(Object.keys(first).filter((name) => name in rest || name in later)).toEqual([]);
  expect(Object.keys(rest).filter((name) => name in later)).toEqual([]);
});

test('a file that takes a text of a late section waits for that section', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
    .map((path) => join('src', path));
  expect(files.length).toBeGreaterThan(100);
  const used = files.flatMap((path) => {
    const code = readFileSync(path, 'utf8');
    const awaited = new Set([...code.matchAll(/useTranslation\('(\w+)'\)/g)].map(([, section]) => section));
    return [...code.matchAll(/['`]([A-Z]\w+):\w/g)]
      .filter(([, section = '']) => LATER_SECTIONS.has(section) && !awaited.has(section))
      .map(([, section]) => [section, path]);
  });
  expect(used, 'take the section out of LATER_SECTIONS').toEqual([]);
});

/** Waits for the texts of errors, which have a file of their own and are loaded later than the rest. */
const WAITING = 'src/lib/problems/values.ts';

/** A module and all that it imports at once. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  const file = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find(
    (name) => /\.tsx?$/.test(name) && existsSync(name),
  );
  if (!file || found.has(file)) return found;
  found.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s(?!type\b)[^;]*?from '((?:@\/|\.)[^']+)'/gm,
  )) {
    loadedWith(from.startsWith('@/') ? join('src', from.slice(2)) : resolve(dirname(file), from), found);
  }
  return found;
}

test('the parts of the first page use no section that is loaded later', () => {
  const files = [...loadedWith(resolve('src/main.tsx'))];
  expect(files.some((file) => file.endsWith('CatalogPage.tsx'))).toBe(true);
  const used = files
    .filter((file) => !file.endsWith(WAITING))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/useTranslation\('(\w+)'\)|\bt\(['`]([A-Z]\w+):/g)].map(
        ([, own, other]) => [own ?? other ?? '', file],
      ),
    );
  expect(
    used.filter(([section = '']) => !FIRST_SECTIONS.has(section)),
    'add the section to src/lib/firstSections.ts, or load the component lazily',
  ).toEqual([]);
});
