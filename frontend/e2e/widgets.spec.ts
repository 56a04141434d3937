import { expect, signIn, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test.beforeEach(async ({ page }) => {
  await signIn(page, 'demo@example.org', '/catalog/acme/greeting');
});

test('JSON with what the service expects beside it', async ({ page }) => {
  await expect(page.getByText('The service expects')).toBeVisible();
  const editor = page.getByRole('textbox', { name: 'Input' });
  await editor.fill('{"nom": "Ada"}');
  await expect(page.getByText('name is missing; nom is unknown to the service')).toBeVisible();
  await editor.fill('{"name": "Ada"}');
  await page.getByRole('button', { name: 'Add a config' }).click();
  await page.getByRole('textbox', { name: 'Config' }).fill('{"language": "ru"}');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer')).toContainText('Здравствуйте, Ada!');
  await screen(page, 'widget-json');
});

test('texts whose entities are marked', async ({ page }) => {
  await page.goto('/catalog/acme/ner-ru');
  await page.getByRole('textbox', { name: 'Texts' }).fill('Анна живёт в Казани.');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer').locator('mark')).toContainText(['Анна', 'Казани']);
  await page.getByTestId('answer').getByText('JSON', { exact: true }).click();
  await expect(page.getByTestId('answer')).toContainText('entity_type');
  await screen(page, 'widget-entities');
});

test('vectors, as the nearness of texts', async ({ page }) => {
  await page.goto('/catalog/acme/word-vectors');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer').getByRole('table')).toContainText('1.00');
  await screen(page, 'widget-vectors');
});

test('speech that plays', async ({ page }) => {
  await page.goto('/catalog/acme/speech');
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello');
  await page.getByRole('button', { name: 'Run' }).click();
  const player = page.getByTestId('answer').locator('audio');
  await expect(player).toBeVisible();
  await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0.2);
  await screen(page, 'widget-speech');
});

test('a talk that streams, on the whole screen', async ({ page }) => {
  await page.goto('/catalog/acme/guide-chat');
  await page.getByRole('button', { name: 'Full screen' }).click();
  await page.getByRole('textbox', { name: 'Your message' }).fill('How do I publish a service?');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/\d+ \+ \d+ tokens/)).toBeVisible();
  await expect(page.getByTestId('theirs')).not.toBeEmpty();
  await screen(page, 'widget-chat');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Full screen' })).toBeVisible();
});
