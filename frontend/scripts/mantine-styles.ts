import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { Plugin } from 'vite';

const ENTRY = '/src/app/mantine.css';
const NAMED = /import\s+(?!type\b)\{([^}]*)\}\s*from\s*['"]@mantine\/core['"]/g;
const RELATIVE = /from\s*"(\.[^"]+)"|import\s*"(\.[^"]+)"/g;

/**
 * Replaces `src/app/mantine.css` by the styles of the components that `src` uses, in the component library's order. A
 * development server takes them all, so that a component may be added while it runs.
 */
export function mantineStyles(root: string): Plugin {
  let all = true;
  return {
    name: 'mantine-styles',
    enforce: 'pre',
    configResolved: ({ command, isProduction }) => {
      all = command === 'serve' || !isProduction;
    },
    load: (id) => (id.endsWith(ENTRY) ? (all ? wholeSheet(root) : stylesOf(usedIn(root), root)) : null),
  };
}

const library = (root: string, name = 'core') => join(root, 'node_modules/@mantine', name);
const wholeSheet = (root: string) => readFileSync(join(library(root), 'styles.css'), 'utf8');

/** Values that `src`, and the other packages of the library that `src` imports, take from the component library. */
export function usedIn(root: string): Set<string> {
  const sources = filesIn(join(root, 'src'), /\.tsx?$/)
    .filter((path) => !/\.test\.tsx?$|\/testing\//.test(path))
    .map(read);
  const packages = new Set(
    sources.flatMap((text) => [...text.matchAll(/from '@mantine\/([a-z-]+)'/g)].map(([, name]) => name ?? '')),
  );
  packages.delete('core');
  const inside = [...packages].flatMap((name) => filesIn(join(library(root, name), 'esm'), /\.mjs$/).map(read));
  return new Set([...sources, ...inside].flatMap(namesIn));
}

function namesIn(text: string): string[] {
  const lists = [...text.matchAll(NAMED)].map(([, list]) => list ?? '');
  return lists
    .flatMap((list) => list.split(','))
    .map((part) => part.trim())
    .filter((part) => part && !part.startsWith('type '))
    .map((part) => part.replace(/\s+as\s.*/s, ''));
}

/** The styles of these exports of the library and of all that they render. Throws if the library lacks one. */
export function stylesOf(names: Iterable<string>, root: string): string {
  const needed = new Set([...names].flatMap((name) => modulesBehind(exportsOf(root).get(name) ?? unknown(name))));
  const folder = join(library(root), 'styles');
  const sheets = readdirSync(folder).filter((file) => file.endsWith('.css') && !file.endsWith('.layer.css'));
  const styled = new Set(filesIn(join(library(root), 'esm'), /\.module\.mjs$/).map(sheetName));
  const wanted = new Set([...needed].filter((path) => path.endsWith('.module.mjs')).map(sheetName));
  const whole = wholeSheet(root);
  return sheets
    .filter((file) => wanted.has(file) || !styled.has(file)) // what belongs to no component is for all
    .map((file) => read(join(folder, file)).trim())
    .toSorted((one, other) => whole.indexOf(one) - whole.indexOf(other))
    .join('\n');
}

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));
}

const sheetName = (path: string) => path.replace(/^.*\/(.+)\.module\.mjs$/, '$1.css');

function unknown(name: string): never {
  throw new Error(`@mantine/core has no export ${name}`);
}

const known = new Map<string, Map<string, string>>();

/** The file of each export. */
function exportsOf(root: string): Map<string, string> {
  const index = join(library(root), 'esm/index.mjs');
  const found =
    known.get(index) ??
    new Map(
      [...read(index).matchAll(/import\s*\{([^}]*)\}\s*from\s*"([^"]+)"/g)].flatMap(([, list = '', from = '']) =>
        list
          .split(',')
          .map((part): [string, string] => [part.replace(/^.*\sas\s/s, '').trim(), resolve(dirname(index), from)]),
      ),
    );
  known.set(index, found);
  return found;
}

const behind = new Map<string, string[]>();

/** A file and all that it imports. */
function modulesBehind(path: string): string[] {
  const kept = behind.get(path);
  if (kept) return kept;
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || !existsSync(file)) return;
    found.add(file);
    for (const [, from, bare] of read(file).matchAll(RELATIVE)) visit(resolve(dirname(file), from ?? bare ?? ''));
  };
  visit(path);
  behind.set(path, [...found]);
  return [...found];
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
