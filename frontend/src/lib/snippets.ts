export const SNIPPET_LANGUAGES = ['curl', 'python', 'javascript'] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

export interface SnippetFacts {
  origin: string;
  account: string;
  model: string;
  key: string;
  data: unknown;
}

function address({ origin, account, model }: SnippetFacts): string {
  return `${origin}/api/mlpgateway/account/${encodeURIComponent(account)}/model/${encodeURIComponent(model)}/predict`;
}

/** Inside single quotes a shell takes everything as it is, but the quote itself. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** JSON is Python but for three words. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** A program that runs as it stands, with the request that is being tried. */
export function snippet(language: SnippetLanguage, facts: SnippetFacts): string {
  const body = JSON.stringify(facts.data);
  switch (language) {
    case 'curl':
      return [
        `curl ${shellQuoted(address(facts))} \\`,
        `  -H ${shellQuoted(`MLP-API-KEY: ${facts.key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shellQuoted(body)}`,
      ].join('\n');
    case 'python':
      return [
        'import mlplace',
        '',
        `with mlplace.Client(${JSON.stringify(facts.origin)}, ${JSON.stringify(facts.key)}) as client:`,
        `    answer = client.predict(${JSON.stringify(facts.account)}, ${JSON.stringify(facts.model)}, ${python(facts.data)})`,
        'print(answer)',
      ].join('\n');
    case 'javascript':
      return [
        `const response = await fetch(${JSON.stringify(address(facts))}, {`,
        "  method: 'POST',",
        `  headers: { 'MLP-API-KEY': ${JSON.stringify(facts.key)}, 'Content-Type': 'application/json' },`,
        `  body: JSON.stringify(${body}),`,
        '});',
        'console.log(await response.json());',
      ].join('\n');
  }
}
