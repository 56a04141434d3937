import { type Browser, type Page, test } from '@playwright/test';

import { answerTo } from '../gallery/answers';
import { answerFor } from '../gallery/platform';
import { signIn } from '../people';
import { forgetFrames, vitalsOf, watch } from './measure';
import { type Measured, tableOf, tooMuch, write } from './report';

const measured: Measured[] = [];
const OWNER = 'acme@example.org';
const LINES_A_MINUTE = 5000;
const SERVICES = 10_000;
const TASKS = 100;

test.afterAll(() => {
  console.log(`\n${tableOf(measured)}\n${write(measured)}`);
  const broken = measured.flatMap(tooMuch);
  if (broken.length > 0) throw new Error(`over the bars:\n${broken.join('\n')}`);
});

/** A page that nothing was loaded into before, in the session of the state. */
async function fresh(
  browser: Browser,
  state?: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>,
): Promise<Page> {
  return (await browser.newContext(state ? { storageState: state } : {})).newPage();
}

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 30_000 }).catch(() => undefined); // some pages never stop asking
  await page.waitForTimeout(1000);
}

/** Keys, a click and typing: what people do first. */
async function interact(page: Page): Promise<void> {
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Tab');
  const search = page.getByRole('main').getByRole('searchbox').first();
  if (await search.isVisible()) await search.pressSequentially('ner', { delay: 60 });
  else
    await page
      .getByRole('main')
      .locator('button:visible, input:visible, [role=tab]:visible')
      .first()
      .click({ timeout: 3000 })
      .catch(() => undefined);
  await page.waitForTimeout(1500);
}

async function measure(name: string, page: Page, path: string): Promise<void> {
  const scripts = await watch(page, { network: true });
  await page.goto(path);
  await settled(page);
  const bytes = scripts();
  await interact(page);
  const { lcp, cls, inp } = await vitalsOf(page);
  measured.push({ name, lcp, cls, inp, scripts: bytes });
  await page.context().close();
}

test('pages of visitors', async ({ browser }) => {
  for (const [name, path] of [
    ['landing', '/'],
    ['catalogue', '/catalog'],
    ['service', '/catalog/acme/ner-ru'],
  ] as const)
    await measure(name, await fresh(browser), path);
});

test('pages of members', async ({ browser }) => {
  const first = await fresh(browser);
  await signIn(first, OWNER, '/workspace');
  const account = (await (await first.request.get('/api/accountsadmin/c/authorization/check-authorized')).json()) as {
    accountId: number;
  };
  const listed = (await (
    await first.request.get(`/api/mlpcore/account/${account.accountId}/models/paged?onlyMy=true`)
  ).json()) as { records?: { id: { modelId: number } }[] };
  const state = await first.context().storageState();
  await first.context().close();
  await measure('my space', await fresh(browser, state), '/workspace');
  const model = listed.records?.[0]?.id.modelId;
  await measure(
    'settings',
    await fresh(browser, state),
    `/workspace/model/${account.accountId}/${model ?? 1}/settings`,
  );
});

/** Crowded pages from made-up answers: a platform with so much would measure itself. */
async function crowded(browser: Browser): Promise<Page> {
  const page = await fresh(browser);
  await answerFor(page, { state: 'typical', reader: 'member', files: false });
  await watch(page, { network: false });
  return page;
}

async function frames(name: string, page: Page): Promise<void> {
  const { frame, inp } = await vitalsOf(page);
  measured.push({ name, frame, inp });
  await page.context().close();
}

test(`a catalogue of ${SERVICES} services`, async ({ browser }) => {
  const page = await crowded(browser);
  await page.route(/\/api\/mlpcore\/models\?/, async (route) => {
    const size = Number(new URL(route.request().url()).searchParams.get('size') ?? 20);
    const { records } = sample(route.request().url()) as { records: { id: object; modelName: string }[] };
    const many = Array.from({ length: size }, (_, index) => ({
      ...records[index % records.length],
      id: { accountId: 1, modelId: index + 1 },
      modelName: `service-${index}`,
      displayName: `Service ${index}`,
    }));
    await route.fulfill({
      json: {
        records: many,
        paging: { totalElements: SERVICES, totalPages: Math.ceil(SERVICES / size), page: 0, size },
      },
    });
  });
  await page.goto('/catalog?page=2');
  await settled(page);
  await forgetFrames(page);
  for (let times = 0; times < 20; times += 1) await page.mouse.wheel(0, 300);
  await interact(page);
  await frames(`${SERVICES} services`, page);
});

test(`a log with ${LINES_A_MINUTE} lines a minute`, async ({ browser }) => {
  const page = await crowded(browser);
  let [end, number] = [0, 0];
  await page.route(/\/file\/logs\/tail/, async (route) => {
    const text = Array.from(
      { length: Math.round((LINES_A_MINUTE / 60) * 2) },
      () =>
        `2026-11-24T12:00:00Z ${(number += 1) % 50 === 0 ? 'ERROR' : 'INFO'} request ${number} answered in 12 ms, ${'x'.repeat(60)}\n`,
    ).join('');
    const start = end;
    end += text.length;
    await route.fulfill({ json: { run: '1.0', start, end, text } });
  });
  await page.goto('/workspace/model/1/1/diagnostic');
  await page.locator('table button').first().click({ timeout: 20_000 });
  await page.getByRole('log').waitFor();
  await page.waitForTimeout(2000);
  await forgetFrames(page);
  await page.waitForTimeout(6000);
  await page.getByRole('dialog').getByRole('searchbox').pressSequentially('answered', { delay: 80 });
  await page.waitForTimeout(3000);
  await frames(`${LINES_A_MINUTE} lines a minute`, page);
});

test(`a tree of ${TASKS} tasks`, async ({ browser }) => {
  const page = await crowded(browser);
  await page.route(/\/api\/mlpcore\/task\/short/, async (route) => {
    const tasks = sample(route.request().url()) as { jobId: number }[];
    await route.fulfill({
      json: Array.from({ length: TASKS }, (_, index) => ({ ...tasks[index % tasks.length], jobId: index + 1 })),
    });
  });
  await page.goto('/job-status');
  await settled(page);
  await forgetFrames(page);
  for (let times = 0; times < 20; times += 1) await page.mouse.wheel(0, 300);
  const choice = page.getByRole('main').getByRole('radiogroup').locator('label'); // the inputs themselves have no size
  await choice.nth(1).click();
  await choice.first().click();
  await page.waitForTimeout(5000);
  await frames(`${TASKS} tasks`, page);
});

/** What the page would get without a change. */
function sample(address: string): unknown {
  return JSON.parse(answerTo('GET', new URL(address).pathname, 'typical', 'member').body);
}
