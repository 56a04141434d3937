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
  await page.getByRole('link', { name: 'demo', exact: true }).click();
  await expect(page).toHaveURL(/\/superadmin\/account\/\d+$/);
  const feature = page.getByRole('switch', { name: /shared[ _]pool/ });
  const was = await feature.isChecked();
  const reason = `a test at ${Date.now()}`;
  for (const wanted of [!was, was]) {
    await feature.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await dialog.getByRole('button', { name: wanted ? 'Switch on' : 'Switch off' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(feature).toBeChecked({ checked: wanted });
  }
  await page.getByRole('tab', { name: 'Audit' }).click();
  const recorded = page.getByRole('row', { name: /Features changed/ }).filter({ hasText: reason });
  await expect(recorded).toHaveCount(2);
  await expect(recorded.first()).toContainText('admin@example.org');
  await page.getByRole('tab', { name: 'Money' }).click();
  const shown = page
    .getByRole('main')
    .getByRole('region', { name: 'Balance', exact: true })
    .getByText(/^[\d\s.]+\s₽$/);
  const before = Number((await shown.innerText()).replaceAll(/[^\d.]/g, ''));
  const form = page.getByRole('region', { name: 'Refill', exact: true });
  await form.getByRole('textbox', { name: 'Amount' }).fill('5');
  await form.getByRole('textbox', { name: 'Reason' }).fill('a test');
  await form.getByRole('button', { name: 'Refill' }).click();
  await expect(shown).toHaveText(
    new RegExp(
      `^${Math.floor(before + 5)
        .toLocaleString('en')
        .replace(',', '\\s?')}\\.\\d\\d\\s₽$`,
    ),
  );
  await page.goto('/superadmin');
  await page.getByRole('button', { name: 'Check the ledger' }).click();
  await expect(page.getByText('Adds up')).toBeVisible();
});

test("the administration is nobody else's", async ({ page }) => {
  await signIn(page, 'demo@example.org', '/superadmin');
  await expect(page.getByRole('heading', { name: 'No access' })).toBeVisible();
});
