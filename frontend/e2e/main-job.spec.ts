import { balance, expect, passwordOf, signIn, test } from './people';

test.use({ locale: 'en-US' });

test('a visitor finds a service, signs in, tries it, and pays for it', async ({ page }) => {
  await page.goto('/catalog');
  await page.getByRole('searchbox').fill('ner');
  await expect(page).toHaveURL(/search=ner/);
  await page.getByRole('link', { name: 'Named entities in Russian' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Named entities');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.locator('input[type=email]').fill('demo@example.org');
  await page.locator('input[type=password]').fill(passwordOf('demo@example.org'));
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/catalog/acme/ner-ru');

  await expect(page.getByTestId('balance')).toBeVisible();
  const before = await balance(page);
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer').locator('mark').first()).toBeVisible();
  await expect.poll(() => balance(page)).toBeLessThan(before);
});

test('who signs out is out', async ({ page }) => {
  await signIn(page, 'demo@example.org', '/workspace');
  await page.goto('/c/logout');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('/');
  await page.goto('/workspace');
  await expect(page).toHaveURL('/');
});

test('a superadmin finds an account, lets it have a feature, and refills it', async ({ page }) => {
  await signIn(page, 'admin@example.org', '/superadmin');
  await page.getByRole('searchbox').fill('demo');
  await page.getByRole('button', { name: 'demo', exact: true }).click();
  const panel = page.getByRole('dialog');
  const before = Number((await panel.getByText(/^[\d\s.]+\s₽$/).innerText()).replaceAll(/[^\d.]/g, ''));
  await panel.getByRole('textbox', { name: 'Amount' }).fill('5');
  await panel.getByRole('textbox', { name: 'Reason' }).fill('a test');
  await panel.getByRole('button', { name: 'Refill' }).click();
  await expect(panel.getByText(new RegExp(`^${Math.floor(before + 5).toLocaleString('en').replace(',', '\\s?')}\\.\\d\\d\\s₽$`))).toBeVisible();
  const feature = panel.getByRole('switch', { name: 'mlp.shared_pool_admin' });
  const was = await feature.isChecked();
  await feature.click();
  await expect(feature).toBeChecked({ checked: !was });
  await feature.click();
  await expect(feature).toBeChecked({ checked: was });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Check the ledger' }).click();
  await expect(page.getByText('Adds up')).toBeVisible();
});

test('the administration is nobody else\'s', async ({ page }) => {
  await signIn(page, 'demo@example.org', '/superadmin');
  await expect(page.getByRole('heading', { name: 'No access' })).toBeVisible();
});
