import type { Page } from '@playwright/test';

import { answerFor, type Reader, type ShownState } from './gallery/platform';
import { expect, expectRefusals, test } from './people';
import { BARS } from './vitals/report';
import { observeVitals, vitalsOf } from './vitals/measure';

test.use({ locale: 'ru-RU', contextOptions: { reducedMotion: 'reduce' } });

const SERVICE = '/workspace/model/1/1';
const VISITOR = [
  '/',
  '/catalog',
  '/catalog?TaskType=ner',
  '/catalog/acme/ner-ru',
  '/catalog/acme/ner-ru/api',
  '/docs/limits',
];
const MEMBER = [
  '/catalog',
  '/catalog/acme/ner-ru',
  '/workspace',
  '/workspace/services',
  '/workspace/api-keys',
  '/workspace/billing',
  '/workspace/images',
  '/workspace/s3-bucket',
  '/workspace/resource-groups',
  '/workspace/resource-group/1/main',
  '/workspace/server-templates',
  '/workspace/account-info',
  '/workspace/account-info/limits',
  '/workspace/create-service',
  SERVICE,
  `${SERVICE}/diagnostic`,
  `${SERVICE}/about`,
  `${SERVICE}/settings`,
  '/job-status',
];
const WIDTHS = [390, 1280];

/** Every answer is late, each by another time: what depends on two arrives in two steps. */
const delayOf = (pathname: string) =>
  300 + (Array.from(pathname).reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7) % 900);

const ALL_DONE = { lastBySession: '2026-11-20T10:00:00Z', lastByKey: '2026-11-20T10:00:00Z' };
const NOTHING_DONE = { '/call-origins': { lastBySession: null, lastByKey: null }, '/token': [] };

interface Case {
  reader: Reader;
  state?: ShownState;
  instead?: Record<string, unknown>;
}

/** Opens the page and returns how much moved until everything is there. */
async function shiftOf(page: Page, path: string): Promise<number> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 8000 }).catch(() => undefined); // some pages never stop asking
  await page.waitForTimeout(1500);
  return (await vitalsOf(page)).cls;
}

/** Those of the paths on which something jumps, in windows of both widths. */
async function jumping(
  page: Page,
  paths: readonly string[],
  { reader, state = 'typical', instead = {} }: Case,
): Promise<string[]> {
  expectRefusals(page, /^404 \/version$/); // the samples know no build
  await observeVitals(page);
  await answerFor(page, { state, reader, files: false, delayOf, instead });
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of paths) {
      const shift = await shiftOf(page, path);
      if (shift > BARS.cls) found.push(`${path} at ${width}: ${shift.toFixed(3)}`);
    }
  }
  return found;
}

test('nothing jumps on pages of visitors, however late the platform answers', async ({ page }) => {
  expect(await jumping(page, VISITOR, { reader: 'visitor' })).toEqual([]);
});

for (const [part, paths] of [
  ['first', MEMBER.slice(0, 9)],
  ['last', MEMBER.slice(9)],
] as const) {
  test(`nothing jumps on the ${part} pages of members`, async ({ page }) => {
    expect(await jumping(page, paths, { reader: 'member', instead: { '/call-origins': ALL_DONE } })).toEqual([]);
  });
}

for (const [what, instead] of [
  ['to be done', NOTHING_DONE],
  ['that were done elsewhere', { '/call-origins': ALL_DONE }],
] as const) {
  test(`first steps ${what} come before what stands below them, or not at all`, async ({ page }) => {
    expect(await jumping(page, ['/workspace', '/catalog'], { reader: 'member', instead })).toEqual([]);
  });
}

test('the reason why a service waits for a server is there with its page', async ({ page }) => {
  expect(await jumping(page, [SERVICE, `${SERVICE}/diagnostic`], { reader: 'member', state: 'crowded' })).toEqual([]);
  await expect(page.getByText('Экземпляр ждёт сервера').first()).toBeVisible();
});

test('a banner of the account moves nothing, neither new nor known', async ({ page }) => {
  const blocked = { '/blocked': true, '/call-origins': ALL_DONE };
  expect(
    await jumping(page, ['/workspace/billing', '/workspace/api-keys'], { reader: 'member', instead: blocked }),
  ).toEqual([]);
  const banner = page.getByRole('alert').first();
  await expect(banner).toBeVisible();
  // By now it stands above the page, where it was from the first paint on.
  expect((await banner.boundingBox())?.y).toBeLessThan(100);
});
