import { enter, expect, test } from './people';

test.use({ locale: 'ru-RU' });

test('the header fits into every width', async ({ page }) => {
  await enter(page, '/swagger-ui');
  await expect(page.getByTestId('balance')).toBeVisible();
  for (const width of [320, 390, 640, 641, 700, 789, 900, 960, 961, 1060, 1200]) {
    await page.setViewportSize({ width, height: 700 });
    const beyond = () =>
      page.evaluate(() => {
        const header = document.querySelector('header');
        return header
          ? Math.max(header.scrollWidth, header.lastElementChild?.getBoundingClientRect().right ?? 0) -
              header.clientWidth
          : 0;
      });
    await expect.poll(beyond, { message: `${width} px` }).toBeLessThanOrEqual(0);
  }
});
