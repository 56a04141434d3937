import { expectAccessible } from './accessibility';
import { enter, expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('a key with a limit works at once, is changed, and is refused once it is revoked', async ({
  page,
  request,
  baseURL,
}) => {
  await enter(page, '/workspace/api-keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const name = `browser ${Date.now()}`;
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Calls at most' }).fill('1000');
  await form.getByRole('button', { name: 'Create a key' }).click();
  const key = (await form.getByLabel('Key', { exact: true }).innerText()).trim();
  expect(key).toMatch(/^\d+\.\d+\.\w{40}$/);

  const call = () =>
    request.post(`${baseURL ?? ''}/api/mlpgateway/account/acme/model/greeting/predict`, {
      headers: { 'MLP-API-KEY': key },
      data: { name: 'Ada' },
    });
  expect((await call()).status()).toBe(200);

  await form.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  const row = page.getByRole('row', { name: new RegExp(name) });
  await expect(row).toContainText(/1\s000 calls a minute/);
  await row.getByRole('button', { name: `Edit ${name}` }).click();
  await form.getByRole('textbox', { name: 'Calls at most' }).fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(row).not.toContainText(/1\s000 calls a minute/);
  await screen(page, 'keys');

  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toHaveCount(0);
  // Without the event, caches would let it in for half a minute: the deadline has to be shorter.
  await expect.poll(async () => (await call()).status(), { timeout: 20_000, intervals: [100] }).toBe(401);
});

test('origins that are wrong are named, and the form shows where they are', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await enter(page, '/workspace/api-keys');
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('page');
  const origins = form.getByRole('textbox', { name: 'Websites that may call from the browser' });
  await origins.pressSequentially('HTTPS://Example.com/ example.org ');
  await origins.press('Enter');
  await expect(form.getByText('Not an origin: example.org.')).toBeVisible();
  await form.getByRole('textbox', { name: 'Tell by e-mail' }).scrollIntoViewIfNeeded();
  await form.getByRole('button', { name: 'Create a key' }).click();
  await expect(origins).toBeFocused();
  await expect(origins).toBeInViewport();
  await expectAccessible(page, 'wrong origins', '[role=dialog]');
  await screen(page, 'key-origins');
  await origins.press('Shift+Tab');
  await expect(form.getByRole('button', { name: 'Remove example.org' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(origins).toBeFocused();
  await expect(form.getByRole('button', { name: 'Remove https://example.com' })).toBeVisible();
  await expect(origins).toHaveAttribute('aria-invalid', 'false');

  // A field above the visible part is not hidden by the title.
  await form.getByRole('textbox', { name: 'Name' }).fill('');
  await form.getByRole('button', { name: 'Create a key' }).click();
  const name = form.getByRole('textbox', { name: 'Name' });
  await expect(name).toBeFocused();
  const [title, field] = await Promise.all([form.locator('header').boundingBox(), name.boundingBox()]);
  expect(field?.y).toBeGreaterThan((title?.y ?? 0) + (title?.height ?? Infinity));
});

test('on a phone the amount of a spending limit has a line of its own, and units stay beside fields with errors', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await enter(page, '/workspace/api-keys');
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('phone');
  await form.getByRole('button', { name: 'Add a limit' }).click();
  const amount = form.getByRole('textbox', { name: 'Amount' });
  await expect(amount).toBeFocused();
  await form.getByRole('textbox', { name: 'Calls at most' }).fill('-5');
  await form.getByRole('textbox', { name: 'Calls at most' }).press('Enter');
  await expect(form.getByText('At least 1. Leave it empty for no limit.')).toBeVisible();
  await expect(form.getByText('Enter an amount, or remove the row')).toBeVisible();
  const boxOf = async (name: string, role: 'textbox' | 'combobox') =>
    (await form.getByRole(role, { name }).first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  expect((await boxOf('Amount', 'textbox')).width).toBeGreaterThan(300);
  expect((await boxOf('Currency', 'combobox')).y).toBeGreaterThan((await boxOf('Amount', 'textbox')).y + 30);
  expect((await boxOf('In each', 'combobox')).y).toBeCloseTo((await boxOf('Calls at most', 'textbox')).y, 0);
  await expectAccessible(page, 'limits with errors', '[role=dialog]');
  await screen(page, 'key-limits');
});

test('a new key is not lost, and is made by one click beside a text that is not added yet', async ({ page }) => {
  await enter(page, '/workspace/api-keys');
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByRole('textbox', { name: 'Name' }).fill('kept');
  const discard = page.getByRole('dialog', { name: 'Close without creating a key?' });
  await page.keyboard.press('Escape');
  await expect(discard).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(discard).toBeHidden();
  await form
    .getByRole('textbox', { name: 'Websites that may call from the browser' })
    .pressSequentially('https://left.example');
  const place = await form.getByRole('button', { name: 'Create a key' }).boundingBox();
  await page.mouse.click((place?.x ?? 0) + 40, (place?.y ?? 0) + 10, { delay: 100 });
  const ready = page.getByRole('dialog', { name: 'The key is ready' });
  await expect(ready.getByRole('alert')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close without copying' }).click();
  await expect(ready).toBeHidden();
});

test('snippets take the key that one chooses, and not one that cannot call', async ({ page }) => {
  const { account } = await enter(page, '/catalog/acme/greeting/api');
  const origin = new URL(page.url()).origin;
  const made = await page.request.post(`/api/mlpcore/account/${account}/token`, {
    data: { name: 'mine' },
    headers: { Origin: origin },
  });
  expect(made.status()).toBe(200);
  await page.reload();
  await expect(page.locator('pre')).toContainText('$MLP_API_KEY');
  await page.getByRole('combobox', { name: 'Key' }).click();
  await page.getByRole('option', { name: 'mine', exact: true }).click();
  await expect(page.getByTestId('key-hint')).toContainText('“mine”');
  await expect(page.locator('pre').first()).toContainText('MLP-API-KEY: $MLP_API_KEY');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name of the key' }).fill(`snippet ${Date.now()}`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.locator('pre[aria-label="curl"]')).toContainText(/MLP-API-KEY: \d+\.\d+\.\w{40}/);
});
