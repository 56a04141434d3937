import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Rules whose result depends on colours. All others say the same about both themes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Fails on a serious fault of accessibility of the page, or of its part `within`, in the light or in the dark theme. */
export async function expectAccessible(page: Page, name: string, within?: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator(`html[data-mantine-color-scheme=${theme}]`)).toHaveCount(1);
    await page.evaluate(async () => {
      const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
      await Promise.allSettled(transitions.map(({ finished }) => finished));
    });
    const axe = new AxeBuilder({ page });
    if (within) axe.include(within);
    if (theme === 'dark') axe.withRules(COLOUR_RULES);
    const { violations } = await axe.analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const faults = serious.map(({ id, nodes }) => [
      id,
      nodes.map(({ html, any }) => [html.slice(0, 160), ...any.map(({ message }) => message)]),
    ]);
    expect.soft([name, theme, faults]).toEqual([name, theme, []]);
  }
}
