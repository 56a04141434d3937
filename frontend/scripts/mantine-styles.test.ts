import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { stylesOf, usedIn } from './mantine-styles.ts';

const ROOT = process.cwd();
const sheet = (name: string) => join(ROOT, 'node_modules/@mantine/core/styles', `${name}.css`);
const styles = (name: string) => readFileSync(sheet(name), 'utf8').trim();

test('a component brings the styles of what it renders, in the order of the library', () => {
  const made = stylesOf(['Button'], ROOT);
  const places = ['UnstyledButton', 'Loader', 'Button'].map((name) => made.indexOf(styles(name)));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places[2]).toBeGreaterThan(places[0] ?? 0);
  expect(made).not.toContain(styles('Table'));
});

test('variables and what belongs to no component are always there', () => {
  expect(stylesOf([], ROOT)).toContain(styles('default-css-variables'));
});

test('no component that the pages use lacks its styles', () => {
  const used = usedIn(ROOT);
  expect(used.size).toBeGreaterThan(40);
  expect(used).toContain('Notification'); // by another package of the library
  const made = stylesOf(used, ROOT);
  const lacking = [...used].filter((name) => existsSync(sheet(name)) && !made.includes(styles(name)));
  expect(lacking).toEqual([]);
});

test('a name that the library does not export fails the build', () => {
  expect(() => stylesOf(['Buton'], ROOT)).toThrow('@mantine/core has no export Buton');
});
