import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { NO_ANSWER, PARAMETER_MISSING, TIMED_OUT } from '@/api/problem';
import enPages from '@/locales/en.json';
import en from '@/locales/problems/en.json';
import ru from '@/locales/problems/ru.json';
import ruPages from '@/locales/ru.json';

type Texts = { [key: string]: string | Texts };

const page = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` \| (\d+) \| (.+) \|$/gm)].map(([, code = '', , message = '']) => ({
  code,
  message,
}));
const rules = [...page.matchAll(/^\| `([^`]+)` \| (\D[^|]*) \|$/gm)].map(([, rule = '', message = '']) => ({
  rule,
  message,
}));

/** Errors that the page itself finds. */
const OF_THE_PAGE = [NO_ANSWER, TIMED_OUT, PARAMETER_MISSING, 'client.defect'];
/** Codes that instances send, which are no errors of the platform. */
const OF_INSTANCES = [
  'mlp-action.common.no-partial-in-batch',
  'mlp-action.common.no-raw-payload-in-batch',
  'mlp-action.common.processing-exception',
  'mlp.gate.model_not_fitted',
];
/** Arguments that an error has beside those of its message. */
const BESIDES: Record<string, string[]> = {
  'mlp.core.dataset_content_invalid': ['problem'],
  'mlp.core.in_use': ['use'],
  'mlp.core.license_limit_exceeded': ['why'],
  'mlp.gate.address_not_allowed': ['why'],
};

const places = (text: string) => [...text.matchAll(/\{\{?(\w+)\}?\}/g)].map(([, name = '']) => name);

function leaves(texts: Texts, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : leaves(value, `${path}${key}/`),
  );
}

describe.each([
  ['ru', ru, ruPages],
  ['en', en, enPages],
] as const)('the texts of errors in %s', (_, texts, pages) => {
  test('there is one for each code of docs/errors.md, and no other', () => {
    const codes = rows.map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(90);
    expect(Object.keys(texts.code).toSorted()).toEqual(
      [...new Set([...codes, ...OF_THE_PAGE, ...OF_INSTANCES])].toSorted(),
    );
  });

  test('there is one for each rule of docs/errors.md, and no other', () => {
    expect(rules.length).toBeGreaterThan(70);
    expect(Object.keys(texts.rule).toSorted()).toEqual(rules.map(({ rule }) => rule).toSorted());
  });

  test('each uses only arguments that its rule has', () => {
    const known = new Map(rules.map(({ rule, message }) => [rule, places(message)]));
    expect(
      Object.entries(texts.rule).flatMap(([rule, text]) =>
        places(text)
          .filter((name) => !known.get(rule)?.includes(name))
          .map((name) => `${rule}: ${name}`),
      ),
    ).toEqual([]);
  });

  test('there is one for each event that the services log, and no other', () => {
    const source = readFileSync(
      join(import.meta.dirname, '../../../../services/mlpcore/src/mlpcore/features/stat_logs/codes.py'),
      'utf8',
    );
    const codes = [...source.matchAll(/^ {4}(\w+) = /gm)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(Object.keys(texts.event).toSorted()).toEqual(codes.toSorted());
  });

  test('there is one for each lack of a server, and no other', () => {
    const source = readFileSync(
      join(import.meta.dirname, '../../../../services/mlpcore/src/mlpcore/features/placement/room.py'),
      'utf8',
    );
    const lacks = [...source.matchAll(/^ {4}[A-Z_]+ = "(\w+)"/gm)].map(([, lack = '']) => lack);
    expect(lacks.length).toBeGreaterThan(10);
    expect(Object.keys(texts.lack).toSorted()).toEqual([...lacks, 'servers'].toSorted());
    expect(Object.keys(pages.Room.lack).toSorted()).toEqual(lacks.toSorted());
  });

  test('there is one for each finding in a dataset, and no other', () => {
    const source = readFileSync(
      join(import.meta.dirname, '../../../../services/mlpcore/src/mlpcore/features/datasets/formats/findings.py'),
      'utf8',
    );
    const codes = [...source.matchAll(/^ {8}"(\w+)": "/gm)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(5);
    expect(Object.keys(pages.Datasets.finding).toSorted()).toEqual(codes.toSorted());
  });

  test('there is one for each reason to wait for a server', () => {
    const placement = readFileSync(join(import.meta.dirname, '../../../../docs/placement.md'), 'utf8');
    const reasons = [...placement.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, reason = '']) => reason);
    expect(reasons.length).toBeGreaterThan(4);
    expect(reasons.filter((reason) => !(reason in texts.reason))).toEqual([]);
  });

  test('each uses only arguments that its error has', () => {
    const known = new Map(rows.map(({ code, message }) => [code, [...places(message), ...(BESIDES[code] ?? [])]]));
    const unknown = Object.entries(texts.code).flatMap(([code, { title, text }]) =>
      places(`${title} ${text}`)
        .filter((name) => !known.get(code)?.includes(name))
        .map((name) => `${code}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

const shape = (texts: Texts) => leaves(texts).map(([path, text]) => [path, [...new Set(places(text))].toSorted()]);

test('both languages have the same texts with the same places', () => {
  expect(shape(ru)).toEqual(shape(en));
});
