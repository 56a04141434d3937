import { enter, expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('the web page of a service, which learns nothing of the platform from its visitor', async ({ page }) => {
  await enter(page, '/app/acme/text-counter');
  const inside = page.frameLocator('iframe');
  await inside.getByRole('textbox', { name: 'Text' }).fill('one two two');
  await screen(page, 'application');
  const cookies = await inside.locator('body').evaluate(() => {
    try {
      return document.cookie;
    } catch {
      return 'denied';
    }
  });
  expect(cookies).toBe('denied');
  await inside.getByRole('button', { name: 'Count' }).click();
  await expect(inside.locator('body')).toContainText('"words": 3');
});

test('who is not signed in is asked to be', async ({ page }) => {
  await page.goto('/app/acme/text-counter');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL('**/c/login?**');
});
