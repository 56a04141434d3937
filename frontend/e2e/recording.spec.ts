import { enter, expect, expectRefusals, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US', permissions: ['microphone'] });

test('speech for recognition is recorded or uploaded; other files are refused', async ({ page }) => {
  await enter(page, '/workspace');
  const who = (await (await page.request.get('/api/accountsadmin/c/authorization/check-authorized')).json()) as {
    accountId: number;
  };
  const name = `asr-${Date.now()}`;
  const models = `/api/mlpcore/account/${who.accountId}/model`;
  const made = await page.request.post(models, {
    data: { modelName: name, taskType: 'asr', hostingType: 'EXTERNAL' },
    headers: { Origin: new URL(page.url()).origin },
  });
  expect(made.status()).toBe(200);
  const { id } = (await made.json()) as { id: { accountId: number; modelId: number } };
  await page.goto(`/workspace/model/${id.accountId}/${id.modelId}`);

  await page.getByRole('button', { name: 'Record' }).click();
  await expect(page.getByText('Recording, 60 s at most')).toBeVisible();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  const recorded = page.getByLabel('Your audio');
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  await expect(recorded).toHaveAttribute('src', /^data:audio\/wav;base64,UklGR/);
  await screen(page, 'widget-recording');

  const upload = page.locator('input[type=file]');
  await upload.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('png') });
  await expect(page.getByRole('alert').filter({ hasText: 'another kind' })).toBeVisible();
  await upload.setInputFiles({ name: 'a.ogg', mimeType: 'audio/ogg', buffer: Buffer.from('OggS and more') });
  await expect(recorded).toHaveAttribute('src', /^data:audio\/ogg;/);
  expectRefusals(page, /^404 \/api\/mlpcore\/account\/[^/]+\/model\//); // the page still asks for what is deleted
  await page.request.delete(`${models}/${name}`, { headers: { Origin: new URL(page.url()).origin } });
});
