import { expect, expectRefusals, ownPerson, test } from './people';

test.describe('languages', () => {
  test.use({ locale: 'ru-RU' });

  test('Russian for those whose browser speaks it; English by a click, and it stays', async ({ page }) => {
    await page.goto('/catalog');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Каталог');
    await page.getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalogue');
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Catalogue');
  });
});

test.describe('on a phone', () => {
  test.use({ locale: 'en-US', viewport: { width: 390, height: 844 } });

  test('one menu holds what the header holds, and nothing is wider than the screen', async ({ page }) => {
    await page.goto('/catalog');
    await page.getByRole('button', { name: 'Menu' }).click();
    await expect(page.getByRole('menuitem', { name: 'Sign in' })).toBeVisible();
    await page.keyboard.press('Escape');
    for (const path of ['/', '/catalog', '/catalog/acme/ner-ru', '/c/login']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([path, overflow]).toEqual([path, 0]);
    }
  });
});

test.describe('addresses', () => {
  test('one that does not exist leads home', async ({ page }) => {
    await page.goto('/no/such/page');
    await expect(page).toHaveURL('/');
  });

  test('a service that does not exist says so, with a way on', async ({ page }) => {
    expectRefusals(page, /^404 \/api\/mlpcore\/account\/acme\/model\/no-such-service/);
    await page.goto('/catalog/acme/no-such-service');
    await expect(page.getByRole('heading', { level: 1 })).toContainText('no-such-service');
    await expect(page.getByRole('main').getByRole('link', { name: /catalog|каталог/i })).toBeVisible();
  });

  test('an address of another site is not followed after signing in', async ({ page }) => {
    const { login, password } = await ownPerson();
    await page.goto('/c/login?redirectUrl=https%3A%2F%2Fevil.example%2F');
    await page.locator('input[type=email]').fill(login);
    await page.locator('input[type=password]').fill(password);
    const home = new URL(page.url()).origin;
    await page.locator('button[type=submit]').click();
    // Which of the two depends on whether the account has services by now.
    await page.waitForURL(({ pathname }) => ['/catalog', '/workspace'].includes(pathname));
    expect(new URL(page.url()).origin).toBe(home);
  });
});
