import { execFileSync } from 'node:child_process';

import { describe, expect, test } from 'vitest';

import { languagesOf, snippet, visitorSnippet } from './snippets';

const FACTS = {
  origin: 'http://localhost:8080',
  account: 'acme',
  model: 'ner-ru',
  key: '1.2.secret',
  data: { texts: ["it's", '$HOME `id`'], n: null, on: true },
};
const IN_A_VARIABLE = { ...FACTS, key: '$MLP_API_KEY' };

/** The arguments that a shell passes to the program. */
function given(program: string, variables: Record<string, string> = {}): string[] {
  const printed = execFileSync('sh', ['-c', program.replace('curl', 'printf "%s\\n"')], {
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  return printed.trimEnd().split('\n');
}

describe('curl', () => {
  test('the call of a visitor has no key, and a shell passes it on as it is', () => {
    const printed = given(visitorSnippet(FACTS));
    expect(printed).toEqual([
      'http://localhost:8080/api/mlpgateway/account/acme/model/ner-ru/try',
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify(FACTS.data),
    ]);
  });

  test('a shell passes the request on as it is, whatever is in it', () => {
    const printed = given(snippet('curl', FACTS));
    expect(printed[0]).toBe('http://localhost:8080/api/mlpgateway/account/acme/model/ner-ru/predict');
    expect(printed).toContain('MLP-API-KEY: 1.2.secret');
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual(FACTS.data);
  });

  test('a key in a variable is taken from there', () => {
    expect(given(snippet('curl', IN_A_VARIABLE), { MLP_API_KEY: '1.2.other' })).toContain('MLP-API-KEY: 1.2.other');
  });

  test('names are safe in addresses', () => {
    expect(snippet('curl', { ...FACTS, model: '../admin' })).toContain('/model/..%2Fadmin/predict');
  });
});

describe('Python', () => {
  test('reads its words, not those of JSON', () => {
    expect(snippet('python', FACTS)).toContain('{"texts": ["it\'s", "$HOME `id`"], "n": None, "on": True}');
  });

  test('reads a variable where there is one, and needs nothing for it otherwise', () => {
    expect(snippet('python', IN_A_VARIABLE)).toMatch(/^import os$[\s\S]*os\.environ\["MLP_API_KEY"\]/m);
    expect(snippet('python', FACTS)).not.toContain('import os');
  });
});

describe('a call with a config', () => {
  const WITH = { ...FACTS, config: { top: 1, on: false } };
  const body = { data: FACTS.data, config: WITH.config };

  test('sends both to the call that takes both', () => {
    const printed = given(snippet('curl', WITH));
    expect(printed[0]).toMatch(/\/predict-with-config$/);
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual(body);
    expect(snippet('python', WITH)).toContain('"config": {"top": 1, "on": False}');
    expect(snippet('python-sdk', WITH)).toContain('config={"top": 1, "on": False})');
    expect(snippet('javascript', WITH)).toContain(JSON.stringify(body));
  });
});

test.each(['python', 'python-sdk', 'openai-python'] as const)(
  '%s begins with what installs its package',
  (language) => {
    expect(snippet(language, FACTS)).toMatch(/^# .*pip install \S/);
  },
);

test('JavaScript gets the request as an object', () => {
  expect(snippet('javascript', FACTS)).toContain(`JSON.stringify(${JSON.stringify(FACTS.data)})`);
});

describe('the OpenAI client', () => {
  test.each([
    ['chat-completion', true],
    ['text2vec', true],
    ['tts', true],
    ['ner', false],
  ])('%s: %s', (taskType, offered) => {
    expect(languagesOf(taskType).includes('openai-python')).toBe(offered);
  });

  test('calls the adapter with the name of account and service', () => {
    const program = snippet('openai-python', IN_A_VARIABLE, 'chat-completion');
    expect(program).toContain('MODEL = "acme/ner-ru"');
    expect(program).toContain(
      'base_url="http://localhost:8080/api/adapters/openai/v1", api_key=os.environ["MLP_API_KEY"]',
    );
    expect(program).toContain('client.chat.completions.create');
    expect(snippet('openai-javascript', FACTS, 'text2vec')).toContain('client.embeddings.create({ model,');
  });
});
