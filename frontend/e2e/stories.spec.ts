import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { countClicks } from './clicks';
import { enter, expect, expectRefusals, ownPerson, signIn, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

/** An image that the server of `make run` knows. */
const IMAGE = 'mlplace/demo-greeting:1.0';
const MOST = { newcomer: 7, author: 9, administrator: 12 };

test('a newcomer signs up, takes the welcome bonus, and calls a service from a shell', async ({ page }) => {
  const clicks = await countClicks(page);
  const name = `shell${Date.now()}`;
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign up' }).first().click();
  await page.getByLabel('E-mail').fill(`${name}@example.org`);
  await page.locator('input[type=password]').first().fill('a long password');
  await page.getByLabel('Short name of the account').fill(name);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/catalog');
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('button', { name: 'Get the welcome bonus' }).click();
  await expect(page.getByText('The welcome bonus is on the balance')).toBeVisible();
  await steps.getByRole('link', { name: /shell/i }).click();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const command = page.locator('pre').filter({ hasText: 'curl' }).first();
  const secret = page.locator('pre[aria-label="New key"]');
  await expect(secret).toBeVisible();
  const [text, key] = [await command.innerText(), await secret.innerText()];
  await expect(async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', text], {
      env: { ...process.env, MLP_API_KEY: key.trim() },
    });
    expect(stdout).toMatch(/^[[{"]/);
    expect(stdout).not.toContain('"code"');
  }).toPass();
  expect(clicks()).toBeLessThanOrEqual(MOST.newcomer);
});

test('an author makes a service from an image with the defaults, and it answers', async ({ page }) => {
  const clicks = await countClicks(page);
  expectRefusals(page, /^404 \/api\/mlpcore\/account\/[^/]+\/model\//); // the page of a deleted service asks for it until it is left
  await enter(page, '/catalog'); // where people without a service begin
  const before = clicks();
  const name = `made-${Date.now()}`;
  await page
    .getByRole('link', { name: /Create a service|New service/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Image' }).fill(IMAGE);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await expect(page.getByText('The name is free')).toBeVisible();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByRole('radio', { name: 'On the platform' })).toBeChecked();
  await expect(page.getByText(/^Fits on \d+ of \d+ server/)).toBeVisible();
  await screen(page, 'create-hosting');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/\/workspace\/model\/\d+\/\d+$/, { timeout: 120_000 });
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer')).toContainText('Hello');
  expect(clicks() - before).toBeLessThanOrEqual(MOST.author);

  await page.goto(`${page.url()}/settings/hosting`);
  await expect(page.getByRole('radio', { name: 'On the platform, fixed number' })).toBeChecked();
  await screen(page, 'settings-hosting');
  await page.getByRole('button', { name: /^Actions: / }).click();
  await page.getByRole('menuitem', { name: 'Delete the service' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the service' }).click();
  await expect(page.getByText(`The service ${name} is deleted`)).toBeVisible();
});

test('an administrator finds an account, sees its use of limits, raises one, and gives money', async ({ page }) => {
  const clicks = await countClicks(page);
  const { account } = await ownPerson();
  await signIn(page, 'admin@example.org', '/superadmin');
  const before = clicks();
  await page.getByRole('searchbox').fill(account);
  await page.getByRole('link', { name: account, exact: true }).click();
  await page.getByRole('tab', { name: 'Money' }).click();
  const money = page.getByRole('region', { name: 'Refill', exact: true });
  await money.getByRole('textbox', { name: 'Amount' }).fill('1');
  await money.getByRole('textbox', { name: 'Reason' }).fill('a test');
  await money.getByRole('button', { name: 'Refill' }).click();
  await expect(page.getByText('The balance is refilled')).toBeVisible();
  await page.getByRole('tab', { name: 'Limits' }).click();
  const panel = page.getByRole('tabpanel');
  const limit = panel.getByRole('textbox', { name: 'Instances of base services' });
  const was = Number(await limit.inputValue());
  await limit.fill(String(was + 1));
  await panel.getByRole('textbox', { name: 'Reason' }).fill('agreed');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByRole('meter', { name: 'Instances of base services' })).toHaveAttribute(
    'aria-valuetext',
    new RegExp(`Free ${was + 1}|Reserved`),
  );
  await expect(panel.getByRole('button', { name: 'Save' })).toHaveCount(0);
  expect(clicks() - before).toBeLessThanOrEqual(MOST.administrator);
  await limit.fill(String(was));
  await panel.getByRole('textbox', { name: 'Reason' }).fill('no longer');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Audit' }).click();
  const changes = page.getByRole('region', { name: 'Changes of limits, features and allowed networks' });
  await expect(changes.getByRole('row', { name: /agreed/ })).toContainText(
    `Instances of base services: ${was} → ${was + 1}`,
  );
  await expect(changes.getByRole('row', { name: /no longer/ })).toContainText(
    `Instances of base services: ${was + 1} → ${was}`,
  );
});

test('an administrator blocks an account and unblocks it, and the audit says why', async ({ page }) => {
  const { account } = await ownPerson();
  await signIn(page, 'admin@example.org', `/superadmin/account/${account}`);
  for (const [verb, state] of [
    ['Block', 'The account is blocked'],
    ['Unblock', 'The account is active'],
  ] as const) {
    await page.getByRole('button', { name: verb, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `${verb} the account?` });
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await expect(dialog.getByText('This field is required')).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(`a test of ${verb}`);
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await expect(page.getByText(state)).toBeVisible();
    await expect(dialog).toHaveCount(0);
  }
  await page.getByRole('tab', { name: 'Audit' }).click();
  await expect(page.getByText('Reason: a test of Block')).toBeVisible();
  await expect(page.getByText('Reason: a test of Unblock')).toBeVisible();
});
