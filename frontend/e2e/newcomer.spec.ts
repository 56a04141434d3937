import { balance, expect, expectRefusals, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('somebody signs up, is refused for money, takes the welcome bonus there, and pays for what they try', async ({
  page,
}) => {
  expectRefusals(page, /^402 \/api\/mlpgateway\/account\/acme\/model\/greeting\/predict/);
  const name = `new${Date.now()}`;
  await page.goto('/c/register?redirectUrl=%2Fcatalog%2Facme%2Fgreeting');
  await page.getByLabel('E-mail').fill(`${name}@example.org`);
  await page.locator('input[type=password]').first().fill('a long password');
  await page.getByLabel('Short name of the account').fill(name);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/catalog/acme/greeting');

  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('balance');
  await screen(page, 'refused-without-money');

  await page.getByRole('main').getByRole('button', { name: 'Get the bonus' }).click();
  await expect.poll(() => balance(page)).toBe(100);
  await expect(async () => {
    await page.getByRole('button', { name: 'Run' }).click();
    await expect(page.getByTestId('answer')).toContainText('Hello', { timeout: 5000 });
  }).toPass();
  await expect.poll(() => balance(page)).toBeLessThan(100);
});
