export const SNIPPET_LANGUAGES = ['curl', 'python', 'python-sdk', 'javascript'] as const;
/** Snippets for the OpenAI client, for task types that have an OpenAI endpoint. */
export const OPENAI_LANGUAGES = ['openai-python', 'openai-javascript'] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number] | (typeof OPENAI_LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<SnippetLanguage, string> = {
  curl: 'curl',
  python: 'Python',
  'python-sdk': 'Python SDK',
  javascript: 'JavaScript',
  'openai-python': 'OpenAI · Python',
  'openai-javascript': 'OpenAI · JavaScript',
};

/** Stands for the key where its secret is not known: programs read it from the environment. */
export const KEY_VARIABLE = '$MLP_API_KEY';

export interface SnippetFacts {
  origin: string;
  account: string;
  model: string;
  key: string;
  data: unknown;
  /** The config of the call; undefined without one. */
  config?: unknown;
}

const OPENAI: Record<string, { python: string; javascript: string }> = {
  'chat-completion': {
    python: 'client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "Hello!"}])',
    javascript: "client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello!' }] })",
  },
  tts: {
    python: 'client.audio.speech.create(model=MODEL, input="Hello!", voice="en").write_to_file("speech.wav")',
    javascript: "(await client.audio.speech.create({ model, input: 'Hello!', voice: 'en' })).arrayBuffer()",
  },
  asr: {
    python: 'client.audio.transcriptions.create(model=MODEL, file=open("speech.wav", "rb"))',
    javascript: "client.audio.transcriptions.create({ model, file: fs.createReadStream('speech.wav') })",
  },
  'image-generation': {
    python: 'client.images.generate(model=MODEL, prompt="a lighthouse in a storm")',
    javascript: "client.images.generate({ model, prompt: 'a lighthouse in a storm' })",
  },
  text2vec: {
    python: 'client.embeddings.create(model=MODEL, input=["one", "two"])',
    javascript: "client.embeddings.create({ model, input: ['one', 'two'] })",
  },
};

export function languagesOf(taskType: string): readonly SnippetLanguage[] {
  return taskType in OPENAI ? [...SNIPPET_LANGUAGES, ...OPENAI_LANGUAGES] : SNIPPET_LANGUAGES;
}

function address({ origin, account, model, config }: SnippetFacts): string {
  return `${origin}/api/mlpgateway/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/${config === undefined ? 'predict' : 'predict-with-config'}`;
}

const bodyOf = ({ data, config }: SnippetFacts): unknown => (config === undefined ? data : { data, config });

/** Inside single quotes a shell interprets nothing but the quote itself. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

const VARIABLE = /^\$[A-Z_][A-Z0-9_]*$/;

/** A header with a variable is in double quotes, in which the shell expands it. */
function shellHeader(name: string, value: string): string {
  return VARIABLE.test(value) ? `"${name}: ${value}"` : shellQuoted(`${name}: ${value}`);
}

/** JSON is valid Python except for three words. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

const pythonKey = (key: string) =>
  VARIABLE.test(key) ? `os.environ[${JSON.stringify(key.slice(1))}]` : JSON.stringify(key);
const javascriptKey = (key: string) => (VARIABLE.test(key) ? `process.env.${key.slice(1)}` : JSON.stringify(key));

/** A complete program with the current request. A key of the form `$NAME` is read from that variable. */
export function snippet(language: SnippetLanguage, facts: SnippetFacts, taskType = 'custom'): string {
  const body = JSON.stringify(bodyOf(facts));
  const own = VARIABLE.test(facts.key) ? ['import os'] : [];
  switch (language) {
    case 'curl':
      return [
        `curl ${shellQuoted(address(facts))} \\`,
        `  -H ${shellHeader('MLP-API-KEY', facts.key)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shellQuoted(body)}`,
      ].join('\n');
    case 'python':
      return [
        '# pip install requests',
        ...own,
        'import requests',
        '',
        'response = requests.post(',
        `    ${JSON.stringify(address(facts))},`,
        `    headers={"MLP-API-KEY": ${pythonKey(facts.key)}},`,
        `    json=${python(bodyOf(facts))},`,
        ')',
        'response.raise_for_status()',
        'print(response.json())',
      ].join('\n');
    case 'python-sdk':
      return [
        `# pip install ${facts.origin}/${SDK_WHEEL}`,
        ...own,
        'import mlplace',
        '',
        `with mlplace.Client(${JSON.stringify(facts.origin)}, ${pythonKey(facts.key)}) as client:`,
        `    answer = client.predict(${[facts.account, facts.model].map((name) => JSON.stringify(name)).join(', ')}, ${python(facts.data)}${facts.config === undefined ? '' : `, config=${python(facts.config)}`})`,
        'print(answer)',
      ].join('\n');
    case 'javascript':
      return [
        `const response = await fetch(${JSON.stringify(address(facts))}, {`,
        "  method: 'POST',",
        `  headers: { 'MLP-API-KEY': ${javascriptKey(facts.key)}, 'Content-Type': 'application/json' },`,
        `  body: JSON.stringify(${body}),`,
        '});',
        'console.log(await response.json());',
      ].join('\n');
    case 'openai-python':
      return [
        '# pip install openai',
        ...own,
        'from openai import OpenAI',
        '',
        `MODEL = ${JSON.stringify(`${facts.account}/${facts.model}`)}`,
        `client = OpenAI(base_url=${JSON.stringify(openaiAddress(facts))}, api_key=${pythonKey(facts.key)})`,
        `print(${OPENAI[taskType]?.python ?? 'client.models.list()'})`,
      ].join('\n');
    case 'openai-javascript':
      return [
        '// npm install openai',
        ...(taskType === 'asr' ? ["import fs from 'node:fs';"] : []),
        "import OpenAI from 'openai';",
        '',
        `const model = ${JSON.stringify(`${facts.account}/${facts.model}`)};`,
        `const client = new OpenAI({ baseURL: ${JSON.stringify(openaiAddress(facts))}, apiKey: ${javascriptKey(facts.key)} });`,
        `console.log(await ${OPENAI[taskType]?.javascript ?? 'client.models.list()'});`,
      ].join('\n');
  }
}

function openaiAddress({ origin }: SnippetFacts): string {
  return `${origin}/api/adapters/openai/v1`;
}

/** A call without a key, for services that visitors may try: it works as it is. */
export function visitorSnippet({
  origin,
  account,
  model,
  data,
}: Pick<SnippetFacts, 'origin' | 'account' | 'model' | 'data'>): string {
  return [
    `curl ${shellQuoted(`${origin}/api/mlpgateway/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/try`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuoted(JSON.stringify(data))}`,
  ].join('\n');
}

/** A request that lists the services of the account which the key may read. */
export function listSnippet(origin: string, account: string, key: string): string {
  return [
    `curl ${shellQuoted(`${origin}/api/mlpcore/account/${encodeURIComponent(account)}/model?onlyMy=true`)} \\`,
    `  -H ${shellHeader('MLP-API-KEY', key)}`,
  ].join('\n');
}
