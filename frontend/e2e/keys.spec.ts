import { expect, signIn, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('a key with a limit works at once, is changed, and is refused within two seconds of being revoked', async ({ page, request, baseURL }) => {
  await signIn(page, 'demo@example.org', '/workspace/api-keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const name = `browser ${Date.now()}`;
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Calls at most' }).fill('1000');
  await form.getByRole('button', { name: 'Create a key' }).click();
  const key = (await form.getByLabel('Key', { exact: true }).innerText()).trim();
  expect(key).toMatch(/^\d+\.\d+\.\w{40}$/);

  const call = () => request.post(`${baseURL ?? ''}/api/mlpgateway/account/acme/model/greeting/predict`, { headers: { 'MLP-API-KEY': key }, data: { name: 'Ada' } });
  expect((await call()).status()).toBe(200);

  await form.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText('1000 a minute');
  await row.getByRole('button', { name: `Edit ${name}` }).click();
  await form.getByRole('textbox', { name: 'Calls at most' }).fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(row).not.toContainText('1000 a minute');
  await screen(page, 'keys');

  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toHaveCount(0);
  await expect.poll(async () => (await call()).status(), { timeout: 5000, intervals: [100] }).toBe(401);
});

test('snippets take the key that one chooses, and not one that cannot call', async ({ page }) => {
  await signIn(page, 'demo@example.org', '/catalog/acme/greeting/api');
  await expect(page.locator('pre')).toContainText('$MLP_API_KEY');
  await page.getByRole('combobox', { name: 'Key' }).click();
  await page.getByRole('option', { name: 'demo', exact: true }).click();
  await expect(page.getByTestId('key-hint')).toContainText('“demo”');
  await expect(page.locator('pre').first()).toContainText('MLP-API-KEY: $MLP_API_KEY');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name of the key' }).fill(`snippet ${Date.now()}`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.locator('pre[aria-label="curl"]')).toContainText(/MLP-API-KEY: \d+\.\d+\.\w{40}/);
});
