import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import {
  type APIRequestContext,
  type ConsoleMessage,
  expect,
  type Page,
  request,
  test as base,
} from '@playwright/test';

/** What the platform keeps of its demo: it gave each person a password of their own. */
const DEMO = process.env['MLP_DEMO'] ?? '../.data/demo.json';

/** Of one of the demo's people. */
export function passwordOf(login: string): string {
  const state = JSON.parse(readFileSync(DEMO, 'utf8')) as { passwords: Record<string, string> };
  return state.passwords[login] ?? '';
}

const expected = new WeakMap<Page, RegExp[]>();

/** Declares answers with an error that a test provokes, as `404 /api/mlpcore/…`. The page may get them, others fail the test. */
export function expectRefusals(page: Page, ...refusals: RegExp[]): void {
  expected.set(page, [...(expected.get(page) ?? []), ...refusals]);
}

/** What an error in the browser's console says; of an answer with an error, its status and its path. */
function saidBy(message: ConsoleMessage): string {
  const [, status] = /^Failed to load resource: the server responded with a status of (\d+)/.exec(message.text()) ?? [];
  return status ? `${status} ${new URL(message.location().url).pathname}` : message.text();
}

export const test = base.extend<{ clean: void }>({
  /** Nothing breaks on a page, and nothing is refused, without the test hearing of it. */
  clean: [
    async ({ page }, use) => {
      const broken: string[] = [];
      page.on('pageerror', (error) => broken.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') broken.push(saidBy(message));
      });
      await use();
      expect(broken.filter((text) => !expected.get(page)?.some((refusal) => refusal.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

export interface Person {
  login: string;
  password: string;
  /** The short name of their account. */
  account: string;
  /** The account's name for people. */
  title: string;
}

const people = new Map<string, Promise<Person>>();

/** The person of this test file: nobody else uses their account, which may publish and try services, and has money. */
export function ownPerson(): Promise<Person> {
  const file = basename(test.info().file, '.spec.ts');
  const found = people.get(file) ?? newPerson(file);
  people.set(file, found);
  return found;
}

async function newPerson(file: string): Promise<Person> {
  const account = `${file}-${randomUUID().slice(0, 8)}`;
  const person = { login: `${account}@example.org`, password: randomUUID(), account, title: `Tests of ${file}` };
  const { login, password, title: displayName } = person;
  const registered = await inSession(async (session) => {
    const made = await session.post('/api/accountsadmin/c/authorization/register', {
      data: { login, password, accountName: account, displayName },
    });
    expect(made.ok(), await made.text()).toBe(true);
    return (await (await session.get('/api/accountsadmin/c/authorization/check-authorized')).json()) as {
      accountId: number;
    };
  });
  await inSession((session) => welcome(session, registered.accountId, 1000));
  return person;
}

/** Does something with a session of its own. */
async function inSession<Result>(work: (session: APIRequestContext) => Promise<Result>): Promise<Result> {
  const baseURL = test.info().project.use.baseURL ?? '';
  const session = await request.newContext({ baseURL, extraHTTPHeaders: { Origin: baseURL } });
  try {
    return await work(session);
  } finally {
    await session.dispose();
  }
}

/** What an operator does for a new account: lets it publish and try services, and gives it money. */
export async function welcome(session: APIRequestContext, accountId: number, money: number): Promise<void> {
  const login = { login: 'admin@example.org', password: passwordOf('admin@example.org') };
  expect((await session.post('/api/accountsadmin/c/authorization/login', { data: login })).ok()).toBe(true);
  const features = { features: ['mlp.model_admin', 'mlp.test_form'].map((name) => ({ name, enabled: true })) };
  const refill = {
    amountCurrency: money,
    currency: 'RUBLE',
    comment: 'welcome',
    idempotencyKey: `welcome-${accountId}`,
  };
  await expect(async () => {
    // the services learn of the account from an event
    expect((await session.post(`/api/mlpcore/admin/account/${accountId}/features`, { data: features })).ok()).toBe(
      true,
    );
    expect((await session.post(`/api/mlpbilling/admin/account/${accountId}/refill`, { data: refill })).ok()).toBe(true);
  }).toPass();
}

/** Signs in as one of the demo's people, or as another with their password. */
export async function signIn(page: Page, login: string, target: string, password = passwordOf(login)): Promise<void> {
  await page.goto(`/c/login?redirectUrl=${encodeURIComponent(target)}`);
  await page.locator('input[type=email]').fill(login);
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`**${target}`);
}

/** Signs in as the person of this test file. */
export async function enter(page: Page, target: string): Promise<Person> {
  const person = await ownPerson();
  await signIn(page, person.login, target, person.password);
  return person;
}

/** Amounts are read from the header, whatever unit and spaces they are shown with. */
export async function balance(page: Page): Promise<number> {
  const text = await page.getByTestId('balance').innerText();
  return Number(text.replaceAll(/[^\d.−-]/g, '').replace('−', '-'));
}

export { expect };
