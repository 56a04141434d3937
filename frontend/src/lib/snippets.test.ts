import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { snippet } from './snippets';

const FACTS = { origin: 'http://localhost:8080', account: 'acme', model: 'ner-ru', key: '1.2.secret', data: { texts: ["it's", '$HOME `id`'], n: null, on: true } };

test('a shell passes the request on as it is, whatever is in it', () => {
  const printed = execFileSync('sh', ['-c', snippet('curl', FACTS).replace('curl', 'printf "%s\\n"')], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(printed[0]).toBe('http://localhost:8080/api/mlpgateway/account/acme/model/ner-ru/predict');
  expect(printed).toContain('MLP-API-KEY: 1.2.secret');
  expect(JSON.parse(printed.at(-1) ?? '')).toEqual(FACTS.data);
});

test('Python reads its words, not those of JSON', () => {
  expect(snippet('python', FACTS)).toContain('{"texts": ["it\'s", "$HOME `id`"], "n": None, "on": True}');
});

test('JavaScript gets the request as an object', () => {
  expect(snippet('javascript', FACTS)).toContain(`JSON.stringify(${JSON.stringify(FACTS.data)})`);
});

test('names are safe in addresses', () => {
  expect(snippet('curl', { ...FACTS, model: '../admin' })).toContain('/model/..%2Fadmin/predict');
});
