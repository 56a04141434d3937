import { expect, expectRefusals, signIn, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('a network that takes two seconds for each call leaves the pages usable, and nothing jumps', async ({ page }) => {
  await signIn(page, 'acme@example.org', '/workspace');
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await route.continue();
  });
  await page.goto('/catalog');
  await expect(page.locator('[aria-busy=true]').first()).toBeVisible();
  await screen(page, 'slow-loading');
  await expect(page.getByRole('article').first()).toBeVisible();
  const before = await page.getByRole('searchbox').boundingBox();
  await page.getByRole('searchbox').fill('speech');
  await expect(page.getByRole('heading', { name: /· 1$/ })).toBeVisible();
  expect((await page.getByRole('searchbox').boundingBox())?.y).toBe(before?.y);
  await page.getByRole('article').getByRole('link').click();
  await expect(page.getByRole('button', { name: 'Run' })).toBeVisible();
});

test('on such a network the places of the private area keep their heading and their action where they are', async ({
  page,
}) => {
  await signIn(page, 'acme@example.org', '/workspace');
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await route.continue();
  });
  for (const [path, action] of [
    ['/workspace', 'Create a service'],
    ['/workspace/services', 'Create a service'],
    ['/workspace/api-keys', 'Create a key'],
    ['/workspace/billing', 'Refill'],
  ] as const) {
    await page.goto(path);
    const heading = page.getByRole('main').getByRole('heading', { level: 1 });
    const button = page.getByRole('main').getByText(action, { exact: true }).first();
    await expect(button).toBeVisible();
    const before = [await heading.boundingBox(), await button.boundingBox()];
    await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
    expect([path, await heading.boundingBox(), await button.boundingBox()]).toEqual([path, ...before]);
  }
});

test('a list that the server refuses says so, and can be asked again', async ({ page }) => {
  await signIn(page, 'acme@example.org', '/workspace');
  expectRefusals(page, /^503 \/api\/mlpcore\/account\/\d+\/token/);
  const refusal = {
    code: 'mlp.core.internal',
    message: 'the database is away',
    status: 503,
    args: {},
    requestId: 'r-1',
  };
  await page.route('**/api/mlpcore/account/*/token*', (route) => route.fulfill({ status: 503, json: refusal }));
  await page.goto('/workspace/api-keys');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('the database is away');
  await screen(page, 'keys-refused');
  await page.unroute('**/api/mlpcore/account/*/token*');
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
});
