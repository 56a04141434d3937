import { readFileSync } from 'node:fs';

import { enter, expect, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

const NAME = 'отзывы & reviews.csv';
const CONTENT = 'id,text\n1,первый отзыв\n';

test('an owner uploads a file into a new folder, downloads it, learns how programs do, and deletes the folder', async ({
  page,
}) => {
  const folder = `flow ${Date.now()}`;
  await enter(page, '/workspace/s3-bucket');
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(folder);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible();

  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: NAME, mimeType: 'text/csv', buffer: Buffer.from(CONTENT) });
  const file = page.getByRole('link', { name: NAME, exact: true });
  await expect(file).toBeVisible();
  await expect(page.getByRole('region', { name: 'Uploads' })).toContainText('1 file is uploaded');
  const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
  expect(download.suggestedFilename()).toBe(NAME);
  expect(readFileSync(await download.path(), 'utf8')).toBe(CONTENT);
  await screen(page, 'bucket');

  await page.getByRole('button', { name: 'How to connect' }).click();
  await page.getByRole('button', { name: 'Commands for aws-cli' }).click();
  const commands = page.getByRole('dialog', { name: 'Commands for aws-cli' });
  await expect(commands.getByText(new RegExp(`^aws s3 ls 's3://[\\w-]+/${folder}/'$`))).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(commands).toHaveCount(0);
  await page.keyboard.press('Escape');

  await page.getByRole('navigation', { name: 'Path to the folder' }).getByRole('link').first().click();
  await page.getByRole('button', { name: `Delete the folder ${folder}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('link', { name: `${folder}/` })).toHaveCount(0);
});
