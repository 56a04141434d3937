import type { Page } from '@playwright/test';

/** Counts the clicks of a person on all pages from now on; what Enter submits is no click. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countedClick', () => (clicks += 1));
  await page.addInitScript(() => {
    document.addEventListener(
      'click',
      ({ isTrusted, detail }) =>
        isTrusted && detail > 0 && (window as unknown as { countedClick: () => void }).countedClick(),
      true,
    );
  });
  return () => clicks;
}
