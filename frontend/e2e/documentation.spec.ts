import { expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('the documents of all four services can be read', async ({ page }) => {
  await page.goto('/swagger-ui');
  for (const [service, path] of [
    ['mlpcore', '/models'],
    ['mlpgateway', '/predict'],
    ['mlpbilling', '/balance'],
    ['accountsadmin', '/authorization/login'],
  ] as const) {
    await page.getByText(service, { exact: true }).click();
    const operation = page.locator('.opblock-summary-path').filter({ hasText: path }).first();
    await expect(page.locator('.opblock-summary-path').first()).toBeVisible();
    await expect(async () => {
      // of a long document only what is near the window is in the page
      await page.mouse.wheel(0, 1500);
      await expect(operation).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect(page.getByRole('main')).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await page.evaluate(() => {
      window.scrollTo(0, 0);
    });
  }
  await screen(page, 'api-documentation');
});
