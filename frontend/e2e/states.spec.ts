import { expectAccessible } from './accessibility';
import { answerFor, type ShownState } from './gallery/platform';
import { expectRefusals, test } from './people';

const PAGES: Record<string, ShownState> = {
  '/workspace/services': 'crowded',
  '/workspace/billing': 'crowded',
  '/workspace/api-keys': 'error',
  '/workspace/resource-groups': 'empty',
};

test.use({ colorScheme: 'light', locale: 'en-US', contextOptions: { reducedMotion: 'reduce' } });

/** The states that a demo does not reach. `npm run screens` looks at all screens in all states. */
test('pages that are crowded, empty or refused have no serious fault of accessibility', async ({ page }) => {
  expectRefusals(page, /^503 \/api\//, /^404 \/version$/); // the samples know no build
  for (const [path, state] of Object.entries(PAGES)) {
    // The page before polls: without samples the real server refuses it, and it would leave for the sign-in.
    await page.goto('about:blank');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await answerFor(page, { state, reader: 'member', files: false });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page, `${path} ${state}`);
  }
});
