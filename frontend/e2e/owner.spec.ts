import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

import type { Page } from '@playwright/test';

import { enter, expect, expectRefusals, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

const PYTHON = process.env.MLP_PYTHON ?? '../.venv/bin/python';
const instances: ChildProcess[] = [];

test.afterEach(() => {
  for (const instance of instances.splice(0)) instance.kill();
});

/** What the page tells an instance, as its environment. */
async function environmentOf(page: Page): Promise<Record<string, string>> {
  await page.getByRole('tab', { name: 'Environment' }).click();
  const text = await page.locator('pre[aria-label="Environment"]').innerText();
  return Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Installs the SDK in this folder, from the address that the page shows, and returns the variables with which Python takes it. */
async function sdkOf(page: Page, folder: string): Promise<Record<string, string>> {
  const command = await page.locator('pre[aria-label^="The SDK"]').innerText();
  const [, address = ''] = /^pip install (\S+)$/.exec(command.trim()) ?? [];
  execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, address], {
    stdio: 'inherit',
  });
  const variables = { PYTHONPATH: folder };
  const found = execFileSync(
    PYTHON,
    ['-c', 'import mlplace, mlplace_gateproto as proto; print(mlplace.__file__, proto.__file__)'],
    { env: { ...process.env, ...variables }, encoding: 'utf8' },
  );
  for (const file of found.trim().split(' ')) expect(file).toContain(folder);
  return variables;
}

test('an owner publishes a service, connects an instance, calls it, describes it, clones it and deletes it', async ({
  page,
}, testInfo) => {
  expectRefusals(page, /^404 \/api\/mlpcore\/account\/[^/]+\/model\//); // the page of a deleted service asks for it until it is left
  const { account } = await enter(page, '/workspace/create-service');
  const name = `mine-${Date.now()}`;
  await page.getByRole('textbox', { name: 'Image' }).fill('example.org/mine:1');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('..');
  await expect(page.getByRole('button', { name: 'Next' })).toBeDisabled();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await expect(page.getByText('The name is free')).toBeVisible();
  await screen(page, 'create-service');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio', { name: 'On my own machine' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/\/workspace\/create-service\?service=\d+$/);

  await page.getByRole('button', { name: 'Add an external instance' }).click();
  await expect(page.locator('pre[aria-label="docker run"]')).toContainText('example.org/mine:1');
  await page.getByRole('tab', { name: 'docker compose' }).click();
  await expect(page.getByRole('link', { name: 'Download docker-compose.yml' })).toBeVisible();
  const environment = await environmentOf(page);
  const sdk = await sdkOf(page, testInfo.outputPath('sdk'));
  instances.push(
    spawn(PYTHON, ['../examples/greeting/main.py'], {
      env: { ...process.env, ...environment, ...sdk },
      stdio: 'ignore',
    }),
  );
  await expect(page).toHaveURL(/\/workspace\/model\/\d+\/\d+$/);
  await expect(page.getByTestId('state')).toContainText('Running');
  await page.getByRole('tab', { name: 'Diagnostics' }).click();
  await screen(page, 'diagnostics');

  await page.getByRole('tab', { name: 'Testing' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByTestId('answer')).toContainText('Hello');

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Display name' }).fill('My greeting');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My greeting');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await page.getByRole('link', { name: 'Configuration' }).click();
  await page.getByRole('textbox', { name: 'Call timeout, seconds' }).fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('This field is required')).toBeVisible();
  await page.getByRole('textbox', { name: 'Call timeout, seconds' }).fill('45');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Call timeout, seconds' })).toHaveValue('45');
  await screen(page, 'settings');

  await page.getByRole('tab', { name: 'Event history' }).click();
  await expect(page.getByRole('table')).toContainText('INSTANCE_CONNECTED');

  await page.getByRole('button', { name: /^Actions: My greeting/ }).click();
  await page.getByRole('menuitem', { name: 'Clone' }).click();
  await expect(page.getByText('The name is free')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Clone' }).click();
  await expect(page.getByText(`${account}/${name}-copy`)).toBeVisible();

  await remove(page, `${name}-copy`);
  await page.goto(`/workspace/services?search=${name}`);
  await page.getByRole('link', { name: 'My greeting' }).click();
  await remove(page, name);
});

async function remove(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions: / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Delete the service' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Delete the service' })).toBeDisabled();
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Delete the service' }).click();
  await expect(page.getByText(`The service ${name} is deleted`)).toBeVisible();
}

test('a group is made, holds services, and goes', async ({ page }) => {
  await enter(page, '/workspace/service-groups');
  const name = `group ${Date.now()}`;
  await page.getByRole('button', { name: 'Create a group' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('link', { name })).toBeVisible();
  await screen(page, 'service-groups');
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('link', { name })).toHaveCount(0);
});
