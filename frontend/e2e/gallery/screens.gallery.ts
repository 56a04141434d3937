import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Page, test } from '@playwright/test';

import { layoutFaults, PHONE_PX } from './layout';
import { chosen } from './options';
import { answerFor } from './platform';
import { type Screen, SCREENS } from './screens';

const FOLDER = join(import.meta.dirname, '../screens');
const HOST = 'http://mlplace.test';
/** What opens has moved and has its content. */
const SHOWN_MS = 400;
/** A part of the page that is loaded on demand. */
const APPEARS_MS = 2000;

for (const language of chosen.languages) {
  for (const screen of SCREENS.filter(
    ({ name }) => chosen.only.length === 0 || chosen.only.some((part) => name.includes(part)),
  )) {
    for (const state of chosen.states) {
      test(`${screen.name} ${state} ${language}`, async ({ browser }) => {
        const context = await browser.newContext({
          locale: language === 'ru' ? 'ru-RU' : 'en-US',
          reducedMotion: 'reduce',
          baseURL: HOST,
        });
        const page = await context.newPage();
        const broken: string[] = [];
        page.on('pageerror', (error) => broken.push(error.message));
        page.on(
          'console',
          (said) =>
            void (
              said.type() === 'error' &&
              !said.text().startsWith('Failed to load resource') &&
              broken.push(said.text().slice(0, 200))
            ),
        );
        await answerFor(page, { state, reader: screen.reader, files: true });
        for (const width of chosen.widths) {
          await page.setViewportSize({ width, height: width < PHONE_PX ? 844 : 900 });
          await page.emulateMedia({ colorScheme: chosen.themes[0] ?? 'light' });
          await page.goto(screen.path);
          const opened = await settle(page, screen, language);
          for (const theme of chosen.themes) {
            await page.emulateMedia({ colorScheme: theme }); // the page follows without being loaded again
            await page.waitForTimeout(SHOWN_MS);
            save(screen.name, `${state}-${theme}-${width}-${language}`, {
              broken: broken.splice(0),
              opened,
              overflow: await page.evaluate(
                () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
              ),
              layout: width < PHONE_PX ? await layoutFaults(page) : [],
              violations: await violationsOf(page),
            });
            await page.screenshot({
              path: join(FOLDER, screen.name, `${state}-${theme}-${width}-${language}.png`),
              fullPage: !isOver(screen),
            });
          }
        }
        await context.close();
      });
    }
  }
}

/** Waits until nothing loads any more, and opens what the screen is about. Returns whether it is there. */
async function settle(page: Page, { opens = [], keys = [], inPage }: Screen, language: 'ru' | 'en'): Promise<boolean> {
  await page.waitForLoadState('networkidle').catch(() => undefined); // some pages never stop asking
  await page.evaluate(() => document.fonts.ready);
  for (const names of opens) {
    const button = page.getByRole('button', { name: names[language] }).first();
    if (
      !(await button.waitFor({ timeout: APPEARS_MS }).then(
        () => true,
        () => false,
      ))
    )
      return false; // a narrow header has it elsewhere
    await button.click();
  }
  for (const key of keys) await page.keyboard.press(key);
  if (inPage) await page.waitForLoadState('networkidle').catch(() => undefined);
  else if (opens.length + keys.length > 0)
    await page
      .locator('[role=dialog], [role=menu]')
      .first()
      .waitFor({ timeout: 3000 })
      .catch(() => undefined);
  if (opens.length + keys.length > 0) await page.waitForTimeout(SHOWN_MS);
  return true;
}

/** Something lies over the page: then the picture shows the window alone. */
const isOver = ({ opens, keys, inPage }: Screen) => !inPage && Boolean(opens ?? keys);

async function violationsOf(page: Page) {
  if (!chosen.axe) return null;
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    nodes: nodes.map(({ target, html }) => ({ target: target.join(' '), html: html.slice(0, 200) })),
  }));
}

function save(screen: string, name: string, facts: object): void {
  mkdirSync(join(FOLDER, screen), { recursive: true });
  writeFileSync(join(FOLDER, screen, `${name}.json`), JSON.stringify({ screen, name, ...facts }));
}
