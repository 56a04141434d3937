import type { Page } from '@playwright/test';

import { enter, expect, expectRefusals, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' });

test.describe('the command palette', () => {
  test('opens a service with the keyboard alone, and remembers it', async ({ page }) => {
    await enter(page, '/workspace/billing');
    await expect(page.getByTestId('balance')).toBeVisible();
    await page.keyboard.press('Control+k');
    await field(page).fill('ner-ru');
    await expect(page.getByRole('option', { name: /acme\/ner-ru/ })).toHaveAttribute('aria-selected', 'true');
    await screen(page, 'palette');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog/acme/ner-ru');
    await page.getByRole('button', { name: 'Search and commands' }).click();
    await expect(page.getByRole('group', { name: 'Recent' }).getByRole('option')).toContainText('acme/ner-ru');
    await page.keyboard.press('Escape');
    await expect(field(page)).toHaveCount(0);
  });

  test('finds pages and actions, and offers the catalogue if nothing matches', async ({ page }) => {
    await enter(page, '/workspace/billing');
    await expect(page.getByTestId('balance')).toBeVisible();
    await page.keyboard.press('Control+k');
    await field(page).fill('create a key');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Create a key' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await field(page).fill('zzzzzz');
    await expect(page.getByText('Nothing matches “zzzzzz”')).toBeVisible();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog?search=zzzzzz');
  });
});

test('keys go to pages, focus the search and list themselves, but not while one types', async ({ page }) => {
  await enter(page, '/workspace/billing');
  await expect(page.getByTestId('balance')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.waitForURL('**/catalog');
  const search = page.getByRole('main').getByRole('searchbox');
  await expect(search).toBeVisible();
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await page.keyboard.type('gk?');
  await expect(search).toHaveValue('gk?');
  await expect(page).toHaveURL(/\/catalog/);
  await search.blur();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('API keys');
});

test.describe('objects that are missing', () => {
  test('a service that is not there is the 404 page with a way on', async ({ page }) => {
    expectRefusals(page, /^404 \/api\/mlpcore\/account\/acme\/model\/no-such-service/);
    await page.goto('/catalog/acme/no-such-service');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no acme/no-such-service here');
    await expect(page).toHaveTitle(/^There is no acme\/no-such-service here · /);
    await page.getByRole('main').getByRole('searchbox').fill('ner');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog?search=ner');
  });

  test("another account's object looks missing too, and leads to no choice of an account", async ({ page }) => {
    expectRefusals(page, /^40[34] \/api\/mlpcore\/account\/1000000002\//);
    const left: string[] = [];
    page.on('framenavigated', (frame) => {
      if (frame.url().includes('/c/select-account')) left.push(frame.url());
    });
    await enter(page, '/workspace/resource-group/1000000002/theirs');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no theirs here');
    await screen(page, '404-object');
    expect(left).toEqual([]);
  });
});

test("the browser's tab names the open tab, the object and the brand", async ({ page }) => {
  await page.goto('/catalog/acme/ner-ru/api');
  await expect(page).toHaveTitle(/^API · acme\/ner-ru · /);
  await page.getByRole('navigation', { name: 'Path to the page' }).getByRole('link').first().click();
  await page.waitForURL('**/catalog');
});
