import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import en from '@/locales/en.json';

type Texts = { [key: string]: string | Texts };

/** A text that the code names. `begins`: the rest of the key is known only when the code runs. */
interface Named {
  section: string;
  key: string;
  begins: boolean;
}

/** What gives a function its section: a hook, or the type of a parameter. A section that a variable holds is not known here. */
const GIVEN =
  /const \{[^}]*?\bt\b(?:: (?<alias>\w+))?[^}]*\} = useTranslation\((?:\[?'(?<section>\w+)')?(?<rest>[^)]*)\)|\b(?<parameter>\w+): TFunction<'(?<typed>\w+)'>/g;
/** A call with a text, or with a template whose beginning is known. */
const USED = /(?<![\w.])(?<name>\w+)\(\s*(?:'(?<key>[^'\n]+)'|`(?<template>[^`$\n]*)(?<open>\$\{)?)/g;
const PLURALS = ['_one', '_few', '_many', '_other'];

/** The texts that a file names, as far as the section of each is known: that of the last hook or parameter of this name before it. */
function namedIn(code: string): Named[] {
  const given = [...code.matchAll(GIVEN)].map(({ index, groups: { alias, section, rest, parameter, typed } = {} }) => ({
    index,
    name: parameter ?? alias ?? 't',
    section: typed ?? section ?? (rest ? null : 'App'),
  }));
  return [...code.matchAll(USED)].flatMap(({ index, groups: { name, key, template, open } = {} }) => {
    const from = given.findLast((one) => one.index < index && one.name === name);
    if (!from) return [];
    const [, section = from.section, path = ''] = /^(?:(\w+):)?(.*)$/.exec(key ?? template ?? '') ?? [];
    return section === null ? [] : [{ section, key: path, begins: open !== undefined }];
  });
}

function keysOf(texts: Texts, before = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [before + key] : keysOf(value, `${before}${key}.`),
  );
}

const KEYS = new Map(
  Object.entries(en as Texts).map(([section, texts]) => [section, typeof texts === 'string' ? [] : keysOf(texts)]),
);

function exists({ section, key, begins }: Named): boolean {
  const keys = KEYS.get(section) ?? [];
  return begins
    ? keys.some((one) => one.startsWith(key))
    : [key, ...PLURALS.map((plural) => key + plural)].some((one) => keys.includes(one));
}

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(({ name }) => /\.tsx?$/.test(name) && !/\.(?:test|gen|d)\.tsx?$/.test(name))
  .map((file) => join(file.parentPath, file.name));

test('each text that the code names is there', () => {
  const missing = files.flatMap((file) =>
    namedIn(readFileSync(file, 'utf8'))
      .filter((one) => !exists(one))
      .map(({ section, key }) => `${file}: ${section}:${key}`),
  );
  expect(missing).toEqual([]);
});

test('texts are found in the code with their sections', () => {
  const code = `
    function A() { const { t } = useTranslation('Keys'); return t('one') + t('Input:two') + other.t('no') + t(\`three.\${kind}\`); }
    function B() { const { t: more, i18n } = useTranslation(); return more('four'); }
    function C(t: TFunction<'Money'>) { return t(
      'five'); }
    function D() { const { t } = useTranslation(texts); return t('unknown'); }`;
  expect(namedIn(code)).toEqual([
    { section: 'Keys', key: 'one', begins: false },
    { section: 'Input', key: 'two', begins: false },
    { section: 'Keys', key: 'three.', begins: true },
    { section: 'App', key: 'four', begins: false },
    { section: 'Money', key: 'five', begins: false },
  ]);
  expect(files.flatMap((file) => namedIn(readFileSync(file, 'utf8'))).length).toBeGreaterThan(1000);
});
