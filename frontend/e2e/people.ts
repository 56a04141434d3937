import { readFileSync } from 'node:fs';
import { expect, type Page, test as base } from '@playwright/test';

/** What the platform keeps of its demo: it gave each person a password of their own. */
const DEMO = process.env['MLP_DEMO'] ?? '../.data/demo.json';

/** Of one of the demo's people. */
export function passwordOf(login: string): string {
  const state = JSON.parse(readFileSync(DEMO, 'utf8')) as { passwords: Record<string, string> };
  return state.passwords[login] ?? '';
}

export const test = base.extend<{ clean: void }>({
  /** Nothing breaks on a page without the test hearing of it. */
  clean: [
    async ({ page }, use) => {
      const broken: string[] = [];
      page.on('pageerror', (error) => broken.push(error.message));
      await use();
      expect(broken).toEqual([]);
    },
    { auto: true },
  ],
});

export async function signIn(page: Page, login: string, target: string): Promise<void> {
  await page.goto(`/c/login?redirectUrl=${encodeURIComponent(target)}`);
  await page.locator('input[type=email]').fill(login);
  await page.locator('input[type=password]').fill(passwordOf(login));
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`**${target}`);
}

/** Amounts are read from the header, whatever unit and spaces they are shown with. */
export async function balance(page: Page): Promise<number> {
  const text = await page.getByTestId('balance').innerText();
  return Number(text.replaceAll(/[^\d.−-]/g, '').replace('−', '-'));
}

export { expect };
