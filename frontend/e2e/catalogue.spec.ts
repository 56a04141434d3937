import { enter, expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test('a visitor browses the featured and the other services, by type and by word, and comes back where they were', async ({
  page,
}) => {
  await page.goto('/catalog');
  // Few services: featured ones, and one grid of all others.
  await expect(
    page.getByRole('region', { name: 'Featured' }).getByRole('link', { name: 'Named entities in Russian' }),
  ).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'More services' }).getByRole('link', { name: 'Speech synthesis', exact: true }),
  ).toBeVisible();
  await screen(page, 'catalogue');
  await page
    .getByRole('navigation', { name: 'Task types' })
    .getByRole('button', { name: /Speech synthesis/ })
    .click();
  await expect(page).toHaveURL(/TaskType=tts/);
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.getByRole('searchbox').fill('no such service');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('article').getByRole('link').first().click();
  await expect(page.getByText('Sign in to try the service')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/TaskType=tts/);
});

test('the keyboard alone finds a service and opens it', async ({ page }) => {
  await page.goto('/catalog');
  await expect(page.getByRole('article').first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('greeting');
  // By its name: sections that are still coming may show one service, too.
  await expect(page.getByRole('article')).toHaveText([/Greeting/]);
  await page.getByRole('article').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Greeting');
});

test('a service becomes one of mine, and is counted', async ({ page }) => {
  await enter(page, '/catalog/acme/word-vectors');
  const star = page.getByRole('button', { name: /my services$/ });
  await expect(star).toBeVisible();
  if ((await star.innerText()).startsWith('Remove')) {
    await star.click();
    await expect(star).toHaveText('Add to my services');
  }
  await star.click();
  await expect(star).toHaveText('Remove from my services');
  await page.goto('/workspace?tab=favorites');
  await expect(page.getByRole('tab', { name: /Favorites/ })).toContainText(/[1-9]/);
  await expect(page.getByRole('article').filter({ hasText: 'acme/word-vectors' })).toBeVisible();
  await screen(page, 'my-space');
});

test('a service says how programs call it, and gives its specification', async ({ page, request }) => {
  await page.goto('/catalog/acme/guide-chat/api');
  await expect(page.locator('pre')).toContainText('/api/mlpgateway/account/acme/model/guide-chat/predict');
  await page.getByText('OpenAI · Python').click();
  await expect(page.locator('pre')).toContainText('/api/adapters/openai/v1');
  for (const name of ['OpenAPI', 'gRPC (proto)']) {
    const address = (await page.getByRole('link', { name }).getAttribute('href')) ?? '';
    expect([name, (await request.get(address)).status()]).toEqual([name, 200]);
  }
  await screen(page, 'service-api');
});
