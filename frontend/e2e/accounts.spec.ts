import type { Page } from '@playwright/test';

import { enter, expect, expectRefusals, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

async function signUp(page: Page, name: string): Promise<void> {
  await page.goto('/c/register?redirectUrl=%2Fcatalog');
  await page.getByLabel('E-mail').fill(`${name}@example.org`);
  await page.locator('input[type=password]').first().fill('a long password');
  await page.getByLabel('Short name of the account').fill(name);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/catalog');
}

test('who is invited joins the account, chooses between two at the next sign-in, and is out once removed', async ({
  page,
  browser,
}) => {
  expectRefusals(page, /^40[13] \/api\//); // without a selected account, and of one that is left
  const name = `guest${Date.now()}`;
  const login = `${name}@example.org`;
  await signUp(page, name);

  const owner = await browser.newPage({ locale: 'en-US' });
  const { title } = await enter(owner, '/workspace/account-info/members');
  await owner.getByLabel('E-mail of who is invited').fill(login);
  await owner.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(owner.getByText(login)).toBeVisible();

  await page.goto('/c/select-account?redirectUrl=%2Fcatalog');
  await expect(page.getByText(/invites you/)).toBeVisible();
  await screen(page, 'invitation');
  await page.getByRole('button', { name: 'Accept' }).click();
  const joined = page.getByRole('button', { name: title });
  await joined.click();
  await page.waitForURL('**/catalog');
  await expect(page.getByRole('link', { name: new RegExp(title) })).toBeVisible();

  await page.goto('/c/logout');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('/');
  await page.goto('/c/login?redirectUrl=%2Fcatalog');
  await page.locator('input[type=email]').fill(login);
  await page.locator('input[type=password]').fill('a long password');
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/c/select-account?redirectUrl=%2Fcatalog');
  await screen(page, 'select-account');
  await joined.click();
  await page.waitForURL('**/catalog');

  await owner.reload();
  await owner
    .getByRole('row', { name: new RegExp(login) })
    .getByRole('button', { name: 'Remove' })
    .click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(owner.getByText(login)).toHaveCount(0);
  await owner.close();
  await expect(async () => {
    await page.goto('/workspace/api-keys');
    await expect(page).toHaveURL(/\/c\/select-account/, { timeout: 3000 });
  }).toPass();
  await expect(joined).toHaveCount(0);
});
