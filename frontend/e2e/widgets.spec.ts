import { enter, expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

test.beforeEach(async ({ page }) => {
  await enter(page, '/catalog/acme/greeting');
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
  await expect(page.getByTestId('legend')).toContainText('LOC');
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
  await expect(page.getByTestId('answer').getByRole('button', { name: 'Play' })).toBeVisible();
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

// Some demo services sleep until their first call, which starts an instance.

test('classes with their probabilities, the likeliest first', async ({ page }) => {
  await page.goto('/catalog/acme/support-topics');
  await page.getByRole('textbox', { name: 'Texts' }).fill('Where is my order?');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer')).toContainText(/delivery\s*\d+\.\d%/);
  const shares = (
    await page
      .getByTestId('answer')
      .getByText(/^\d+\.\d%$/)
      .allInnerTexts()
  ).map(Number.parseFloat);
  expect(shares.length).toBeGreaterThan(1);
  expect(shares).toEqual(shares.toSorted((one, another) => another - one));
  await screen(page, 'widget-classes');
});

test('pictures out of a prompt', async ({ page }) => {
  await page.goto('/catalog/acme/pattern-image');
  await page.getByRole('textbox', { name: 'What to draw' }).fill('a lighthouse in a storm');
  await page.getByRole('button', { name: 'Run' }).click();
  const picture = page.getByTestId('answer').getByRole('img', { name: 'Image 1' });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await screen(page, 'widget-image');
});

test('a file that is sent', async ({ page }) => {
  await page.goto('/catalog/acme/file-facts');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one two\nthree') });
  await expect(page.getByText('notes.txt')).toBeVisible();
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer')).toContainText('"kind": "text/plain"');
  await screen(page, 'widget-file');
});

test('a bot that offers answers and remembers what was said', async ({ page }) => {
  await page.goto('/catalog/acme/guess-bot');
  await page.getByRole('textbox', { name: 'Your message' }).fill('hi');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Is it 50?')).toBeVisible();
  await page.getByRole('button', { name: 'Lower' }).click();
  await expect(page.getByText('Is it 25?')).toBeVisible();
  await page.getByRole('button', { name: 'That is it' }).last().click();
  await expect(page.getByText('25! That took 2 questions.')).toBeVisible();
  await screen(page, 'widget-bot');
});
