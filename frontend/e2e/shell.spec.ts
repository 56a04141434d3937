import type { Page } from '@playwright/test';

import { balance, enter, expect, expectRefusals, ownPerson, signIn, test } from './people';
import { screen } from './screens';

test.use({ locale: 'en-US' });

const OWN = [
  '/workspace/billing',
  '/workspace/account-info',
  '/workspace',
  '/workspace/services',
  '/workspace/api-keys',
  '/job-status',
];

test('pages of people who are signed in ask for nothing that is refused', async ({ page }) => {
  const refused: string[] = [];
  await enter(page, '/workspace/billing');
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  for (const path of OWN) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByTestId('balance')).toBeVisible();
    await page.waitForLoadState('networkidle');
  }
  expect(refused).toEqual([]);
});

async function begin(page: Page, amount: string): Promise<void> {
  await enter(page, '/workspace/billing');
  await page.getByRole('main').getByRole('button', { name: 'Refill' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Amount' }).fill(amount);
  await page.getByRole('button', { name: 'Go on to payment' }).click();
}

test.describe('refill by card', () => {
  test('what was paid on the payment page is on the balance, and in the history', async ({ page }) => {
    await begin(page, '12.34');
    await page.waitForURL('**/sandbox-payment/**');
    await screen(page, 'payment');
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.waitForURL('**/workspace/billing**');
    await expect(page.getByRole('row', { name: /By card.*Done.*12\.34/ }).first()).toBeVisible();
    await screen(page, 'billing');
    expect(await balance(page)).toBeGreaterThan(0);
  });

  test('less than one is refused before anything is sent', async ({ page }) => {
    await begin(page, '0.5');
    await expect(page.getByText('At least 1')).toBeVisible();
    await screen(page, 'refill-refused');
  });
});

test.describe('refusals', () => {
  test('pages that are not for one, and those that are not there', async ({ page }) => {
    await enter(page, '/superadmin');
    await expect(page.getByRole('heading', { name: 'No access' })).toBeVisible();
    await screen(page, '403');
    await page.goto('/403?context=ip');
    await expect(page.getByText('from your current IP address')).toBeVisible();
    await page.goto('/404');
    await expect(page.getByRole('heading', { name: 'Nothing here' })).toBeVisible();
    await screen(page, '404');
  });

  test('a session that ends while one works leads to signing in, and back', async ({ page }) => {
    const { login, password } = await enter(page, '/workspace/billing');
    await expect(page.getByTestId('balance')).toBeVisible();
    expectRefusals(page, /^401 \/api\//);
    await page.context().clearCookies({ name: 'SESSION_ID' });
    // The next poll hears of it.
    await page.waitForURL('**/c/login?redirectUrl=%2Fworkspace%2Fbilling');
    await page.locator('input[type=email]').fill(login);
    await page.locator('input[type=password]').fill(password);
    await page.locator('button[type=submit]').click();
    await page.waitForURL('**/workspace/billing');
  });
});

test('a service that is started shows as a task, and what came of it as a notification', async ({ page }) => {
  await signIn(page, 'acme@example.org', '/workspace');
  const answer = await page.request.post('/api/mlpcore/account/acme/model/greeting/rolling-update');
  expect(answer.status()).toBe(200);
  await page.getByRole('button', { name: /^Background tasks/ }).click();
  const task = page.getByTestId('task').filter({ hasText: 'greeting' }).first();
  await expect(task).toBeVisible();
  await screen(page, 'tasks');
  await expect(task).toContainText('Completed', { timeout: 90_000 });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await expect(
    page
      .getByRole('dialog')
      .getByText(/greeting/i)
      .first(),
  ).toBeVisible();
  await screen(page, 'notifications');
});

test('what a superadmin tells everybody arrives', async ({ page, browser }) => {
  const text = `Maintenance ${Date.now()}`;
  await ownPerson(); // everybody is who is there by now
  const admin = await browser.newPage({ locale: 'en-US' });
  await signIn(admin, 'admin@example.org', '/superadmin/broadcast');
  await admin.getByRole('textbox', { name: 'Text' }).fill(text);
  await admin.getByRole('button', { name: 'Send to everybody' }).click();
  await expect(admin.getByText('The notification is sent')).toBeVisible();
  await screen(admin, 'superadmin-broadcast');
  await admin.close();
  await enter(page, '/workspace/billing');
  await page.getByRole('button', { name: /^Notifications, unread/ }).click();
  await expect(page.getByText(text)).toBeVisible();
  // Seen is read: the mark goes, and stays away.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible();
});

test('a question of a visitor reaches the team', async ({ page }) => {
  const question = `How does it work, ${Date.now()}?`;
  await page.goto('/');
  await page.getByRole('button', { name: 'Contact us' }).click();
  await page.getByLabel('How to reach you').fill('visitor@example.org');
  await page.getByLabel('Question').fill(question);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Thank you. Your message has reached the team.')).toBeVisible();
  await screen(page, 'message-sent');
  await signIn(page, 'admin@example.org', '/superadmin/requests');
  await expect(page.getByText(question)).toBeVisible();
  await screen(page, 'superadmin-requests');
});

test('another host has another brand', async ({ page, baseURL }) => {
  const address = new URL('/', baseURL);
  test.skip(address.hostname !== 'localhost', 'only names under localhost lead here by themselves');
  address.hostname = 'cloud.localhost';
  await page.goto(address.href);
  await expect(page.getByRole('link', { name: 'ML Cloud: home' })).toBeVisible();
  await expect(page).toHaveTitle(/ML Cloud/);
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', '/options/cloud-icon.svg');
  await screen(page, 'brand-cloud');
});
