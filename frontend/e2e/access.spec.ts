import type { Page } from '@playwright/test';

import { expectAccessible } from './accessibility';
import { expect, signIn, test } from './people';
import { screen } from './screens';

/** Of the owner of the demo's services. */
async function ownPages(page: Page): Promise<string[]> {
  await page.goto('/workspace/services');
  const first = (await page.getByRole('table').getByRole('link').first().getAttribute('href')) ?? '';
  const sections = ['main', 'access', 'billing', 'configuration', 'hosting', 'documentation', 'predict-config'];
  return [
    first,
    `${first}/about`,
    `${first}/api`,
    `${first}/diagnostic`,
    `${first}/events`,
    `${first}/versions`,
    ...sections.map((section) => `${first}/settings/${section}`),
  ];
}

const OPEN = [
  '/swagger-ui',
  '/catalog',
  '/catalog?TaskType=ner',
  '/catalog/acme/guide-chat/about',
  '/catalog/acme/guide-chat/api',
];
const TRIED = ['/catalog/acme/guide-chat', '/catalog/acme/speech', '/catalog/acme/greeting', '/catalog/acme/ner-ru'];
const OWN = [
  '/workspace',
  '/workspace/services',
  '/workspace/service-groups',
  '/workspace/create-service',
  '/workspace/api-keys',
  '/workspace/secrets',
  '/workspace/images',
  '/workspace/data-images',
  '/workspace/resource-groups',
  '/workspace/server-templates',
];

test.describe('in Russian', () => {
  test.use({ colorScheme: 'light', locale: 'ru-RU', contextOptions: { reducedMotion: 'reduce' } });

  test('no page of services and keys has a serious fault of accessibility', async ({ page }) => {
    test.setTimeout(400_000);
    const check = async (path: string) => {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await expectAccessible(page, path);
    };
    for (const path of OPEN) await check(path);
    await signIn(page, 'acme@example.org', '/workspace');
    for (const path of [...TRIED, ...OWN, ...(await ownPages(page))]) await check(path);
  });
});

test.describe('on a phone', () => {
  test.use({ locale: 'ru-RU', viewport: { width: 390, height: 844 } });

  test('nothing is wider than the screen', async ({ page }) => {
    await signIn(page, 'acme@example.org', '/workspace');
    for (const path of [...OPEN, ...TRIED, ...OWN]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect.soft([path, overflow]).toEqual([path, 0]);
      await screen(page, `phone${path.replaceAll(/\W+/g, '-')}`);
    }
  });
});
