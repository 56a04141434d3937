import type { ConsoleMessage, Page } from '@playwright/test';

import { expectAccessible } from './accessibility';
import { expect, signIn, test } from './people';

const OPEN = [
  '/',
  '/landing',
  '/swagger-ui',
  '/docs',
  '/docs/limits',
  '/catalog',
  '/catalog/acme/ner-ru',
  '/catalog/acme/ner-ru/about',
  '/catalog/acme/ner-ru/api',
  '/c/login',
  '/c/register',
  '/c/forgot-password',
  '/app/auth',
  '/403',
  '/404',
];
const OWN = [
  '',
  '/services',
  '/service-groups',
  '/create-service',
  '/images',
  '/data-images',
  '/resource-groups',
  '/server-templates',
  '/api-keys',
  '/secrets',
  '/billing',
  '/account-info',
  '/account-info/members',
  '/account-info/limits',
  '/account-info/storage',
  '/account-info/security',
].map((place) => `/workspace${place}`);
const OF_A_SERVICE = ['', '/about', '/api', '/diagnostic', '/archive', '/events', '/versions', '/settings'];
const OF_SUPERADMINS = [
  '',
  '/requests',
  '/broadcast',
  '/domains',
  ...['', '/people', '/keys', '/services', '/money', '/limits', '/audit'].map((tab) => `/account/acme${tab}`),
].map((place) => `/superadmin${place}`);
/** Of the header and over the page; their names in the language of these tests. */
const OPENED = [/^Background tasks/, /^Notifications/, /^Balance/, /^Menu$/, /^Contact us/, /^Refill/];

/** Opens pages. None of them has a serious fault of accessibility, or an error in the browser's console. */
async function check(page: Page, ...paths: string[]): Promise<void> {
  const told: string[] = [];
  const note = (message: ConsoleMessage) => message.type() === 'error' && told.push(`${page.url()}: ${message.text()}`);
  page.on('console', note);
  for (const path of paths) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, path);
    expect(told).toEqual([]);
  }
  page.off('console', note);
}

/** What is behind the veil of a modal is not to be read. */
async function checkOpened(page: Page): Promise<void> {
  for (const name of OPENED) {
    await page.goto('/workspace/billing');
    await page.getByRole('button', { name }).first().click();
    const opened = page.locator('[role=dialog], [role=menu]').first();
    await expect(opened).toBeVisible();
    await expect(opened).toHaveCSS('opacity', '1');
    await expectAccessible(page, String(name), '[role=dialog], [role=menu]');
  }
}

async function numbersOf(page: Page): Promise<{ service: string; group: string; remove: () => Promise<void> }> {
  const answer = await page.request.get('/api/mlpcore/account/acme/model/greeting');
  const { id } = (await answer.json()) as { id: { accountId: number; modelId: number } };
  const name = `seen-${Date.now()}`;
  const groups = `/api/mlpcore/account/${id.accountId}/resource-groups`;
  const made = await page.request.post(groups, { data: { name, resourceGroupType: 'HOSTING_SERVER' } });
  expect(made.status()).toBe(200);
  const remove = async () => expect((await page.request.delete(`${groups}/${name}`)).ok()).toBe(true);
  return {
    service: `/workspace/model/${id.accountId}/${id.modelId}`,
    group: `/workspace/resource-group/${id.accountId}/${name}`,
    remove,
  };
}

test.describe('in English', () => {
  test.use({ colorScheme: 'light', locale: 'en-US', contextOptions: { reducedMotion: 'reduce' } });
  test.describe.configure({ timeout: 900_000 });

  test('no page for visitors has a serious fault of accessibility', async ({ page }) => {
    await check(page, ...OPEN);
  });

  test('nor has one of a member', async ({ page }) => {
    await signIn(page, 'acme@example.org', '/workspace/billing');
    const { service, group, remove } = await numbersOf(page);
    await check(
      page,
      ...OWN,
      ...OF_A_SERVICE.map((tab) => service + tab),
      group,
      `${group}/settings`,
      '/job-status',
      '/app/acme/greeting',
      '/c/select-account',
    );
    await remove();
    await check(page, '/c/logout');
  });

  test('nor has what opens over a page', async ({ page }) => {
    await signIn(page, 'acme@example.org', '/workspace/billing');
    await checkOpened(page);
  });

  test('nor has one of a superadmin', async ({ page }) => {
    await signIn(page, 'admin@example.org', '/superadmin');
    await check(page, ...OF_SUPERADMINS);
  });
});
