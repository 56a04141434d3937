import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from '@playwright/test';

import { Samples, type Schema, type State } from './samples';

export type ShownState = State | 'error';
export type Reader = 'visitor' | 'member' | 'superadmin';

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> }>>;
  components: { schemas: Record<string, Schema> };
}

const root = join(import.meta.dirname, '../..');
const DOCUMENTS = ['accountsadmin', 'mlpcore', 'mlpgateway', 'mlpbilling'].map((name) => JSON.parse(readFileSync(join(root, `src/api/openapi/${name}.json`), 'utf8')) as OpenApi);
/** Most exact first: a path without parameters goes before one with. */
const OPERATIONS = DOCUMENTS.flatMap(({ paths, components }) =>
  Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { responses }]) => ({ pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`), parameters: path.split('{').length, method: method.toUpperCase(), responses, schemas: components.schemas }))),
).toSorted((one, other) => one.parameters - other.parameters);

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', json: 'application/json', woff2: 'font/woff2' };
const REFUSAL = { code: 'mlp.core.unavailable', message: 'mlpcore does not answer', status: 503, args: {}, requestId: '7f3c0a52b1' };
/** What each page asks before anything else: it answers in every state. */
const ALWAYS = /\/(public\/options|check-authorized|allowed-accounts|frontend-settings|captcha|model-defaults|task-types|get-by-user|blocked|balance\/short|notification|task\/short|clicks)$/;

/** Answers all requests of a page: those of the API with samples, others with the files of `dist` if `files` is true. */
export async function answerFor(page: Page, { state, reader, files }: { state: ShownState; reader: Reader; files: boolean }): Promise<void> {
  const samples = (schemas: Record<string, Schema>) => new Samples(schemas, state === 'error' ? 'typical' : state);
  const own = ownAnswers(reader);
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/version') return route.fulfill({ status: 404 });
    if (!pathname.startsWith('/api/') && !pathname.startsWith('/p/')) return files ? answerFile(route, pathname) : route.fallback();
    const name = Object.keys(own).find((ending) => pathname.endsWith(ending));
    if (name) return own[name] === null ? route.fulfill({ status: 401, json: { ...REFUSAL, status: 401, code: 'not_authorized' } }) : route.fulfill({ body: JSON.stringify(own[name]), contentType: 'application/json' });
    if (state === 'error' && !ALWAYS.test(pathname)) return route.fulfill({ status: 503, json: REFUSAL });
    return answerSample(route, pathname, samples);
  });
}

function answerSample(route: Route, pathname: string, samples: (schemas: Record<string, Schema>) => Samples): Promise<void> {
  const found = OPERATIONS.find(({ pattern, method }) => method === route.request().method() && pattern.test(pathname));
  if (!found) return route.fulfill({ status: 404, json: { ...REFUSAL, status: 404 } });
  const [type, content] = Object.entries(found.responses['200']?.content ?? {})[0] ?? [];
  if (!type) return route.fulfill({ status: 200, json: null });
  const body = samples(found.schemas).of(content?.schema ?? {}, pathname.replace(/^.*\//, ''));
  return route.fulfill({ body: typeof body === 'string' && type !== 'application/json' ? body : JSON.stringify(body), contentType: type });
}

function answerFile(route: Route, pathname: string): Promise<void> {
  const wanted = join(root, 'dist', pathname);
  const page = pathname.startsWith('/c/') ? 'accounts.html' : 'index.html';
  const file = /\.\w+$/.test(pathname) && existsSync(wanted) ? wanted : join(root, 'dist', page);
  return route.fulfill({ body: readFileSync(file), contentType: TYPES[file.replace(/^.*\./, '')] ?? 'application/octet-stream' });
}

/** Who reads, and what the installation has. */
function ownAnswers(reader: Reader): Record<string, unknown> {
  const permissions = reader === 'superadmin' ? ['ACCOUNTS_ADMIN_WRITE'] : ['MLP_DEVELOPER'];
  return {
    '/check-authorized': reader === 'visitor' ? null : { features: [], permissions, login: 'ada@example.org', userId: 1, accountId: 1, internal: false, accountOwner: true },
    '/allowed-accounts': [{ id: 1, name: 'acme', availableToSelect: true }, { id: 2, name: 'north-lab', availableToSelect: true }],
    '/public/options': { domains: [], mailAvailable: true },
    '/blocked': false,
    '/frontend-settings': { isSystemAccount: false, isBillingEnabled: true, isArchiveEnabled: true, isExtendedLanding: true, currencyType: 'currency', defaultMaxPrice: 100, englishOnly: false, refillByManager: false, managerMail: null, supportChatUrl: null, saveClicksEnabled: false, envName: 'production', license: null },
  };
}
