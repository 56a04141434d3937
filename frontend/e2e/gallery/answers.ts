import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ANSWER, refined } from './facts.ts';
import { Samples, type Schema, type State } from './samples.ts';

export type ShownState = State | 'error';
export type Reader = 'visitor' | 'member' | 'superadmin';

export interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

interface OpenApi {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> }>
  >;
  components: { schemas: Record<string, Schema> };
}

const FOLDER = join(import.meta.dirname, '../../src/api/openapi');
const documentOf = (name: string) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as OpenApi;
const DOCUMENTS = ['accountsadmin', 'mlpcore', 'mlpgateway', 'mlpbilling'].map(documentOf);
/** Most exact first: a path without parameters goes before one with. */
const OPERATIONS = DOCUMENTS.flatMap(({ paths, components }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      parameters: path.split('{').length,
      method: method.toUpperCase(),
      responses,
      schemas: components.schemas,
    })),
  ),
).toSorted((one, other) => one.parameters - other.parameters);

const REFUSAL = {
  code: 'mlp.core.unavailable',
  message: 'mlpcore does not answer',
  status: 503,
  args: {},
  requestId: '7f3c0a52b1',
};
/** The document of one of the four services. */
const DOCUMENT = /^\/api\/(\w+)\/openapi\.json$/;
/** Calls of a service, and what the gateway says of each. */
const CALLS = /\/(predict|predict-with-config|try)$/;
const CALL_FACTS = { 'Z-requestId': '7f3c0a52b1', 'Z-Server-Time': '84', 'MLP-Units': '1', 'MLP-Cost': '0.40' };
/** What each page asks before anything else: it answers in every state. */
const ALWAYS =
  /\/(public\/options|authorization\/session|allowed-accounts|frontend-settings|captcha|model-defaults|task-types|get-by-user|blocked|balance\/short|notification|task\/short|clicks)$/;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
  headers,
});

/** What the API answers to a request for a path, made from the committed OpenAPI documents. The same arguments make the same answer. */
export function answerTo(method: string, pathname: string, state: ShownState, reader: Reader): Answer {
  const own = ownAnswers(reader);
  const name = Object.keys(own).find((ending) => pathname.endsWith(ending));
  if (name)
    return own[name] === null ? json({ ...REFUSAL, status: 401, code: 'not_authorized' }, 401) : json(own[name]);
  if (state === 'error' && !ALWAYS.test(pathname)) return json(REFUSAL, 503);
  const described = DOCUMENT.exec(pathname)?.[1];
  if (described) return json(documentOf(described));
  if (CALLS.test(pathname)) return json(ANSWER, 200, CALL_FACTS);
  return sampleFor(method, pathname, state === 'error' ? 'typical' : state);
}

function sampleFor(wanted: string, pathname: string, state: State): Answer {
  const found = OPERATIONS.find(({ pattern, method }) => method === wanted && pattern.test(pathname));
  if (!found) return json({ ...REFUSAL, status: 404 }, 404);
  const [type, content] = Object.entries(found.responses['200']?.content ?? {})[0] ?? [];
  if (!type) return json(null);
  const made = new Samples(found.schemas, state).of(content?.schema ?? {}, pathname.replace(/^.*\//, ''));
  const body = refined(pathname, made, state);
  return {
    status: 200,
    type,
    body: typeof body === 'string' && type !== 'application/json' ? body : JSON.stringify(body),
  };
}

/** Who reads, and what the installation has. */
function ownAnswers(reader: Reader): Record<string, unknown> {
  const permissions = reader === 'superadmin' ? ['ACCOUNTS_ADMIN_WRITE'] : ['MLP_DEVELOPER'];
  return {
    '/authorization/session': {
      user:
        reader === 'visitor'
          ? null
          : {
              features: [],
              permissions,
              login: 'ada@example.org',
              userId: 1,
              accountId: 1,
              internal: false,
              accountOwner: true,
            },
    },
    '/allowed-accounts': [
      { id: 1, name: 'acme', availableToSelect: true },
      { id: 2, name: 'north-lab', availableToSelect: true },
    ],
    '/public/options': { domains: [], mailAvailable: true },
    '/blocked': false,
    '/frontend-settings': {
      isSystemAccount: false,
      isBillingEnabled: true,
      isArchiveEnabled: true,
      isExtendedLanding: true,
      currencyType: 'RUBLE',
      defaultMaxPrice: 100,
      englishOnly: false,
      refillByManager: false,
      managerMail: null,
      supportChatUrl: null,
      saveClicksEnabled: false,
      envName: 'production',
      license: null,
    },
  };
}
