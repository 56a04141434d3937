import type { Page } from '@playwright/test';

/** What a flow ends in, to be looked at. */
export async function screen(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `e2e/screens/${name}.png`, fullPage: true });
}
