import { expect, type Page, test as base } from '@playwright/test';

/** The demo's people. */
const PASSWORD = 'mlplace-demo';

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
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`**${target}`);
}

/** Amounts are read from the header, whatever unit and spaces they are shown with. */
export async function balance(page: Page): Promise<number> {
  const text = await page.getByTestId('balance').innerText();
  return Number(text.replaceAll(/[^\d.−-]/g, '').replace('−', '-'));
}

export { expect };
