import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from '@playwright/test';

import { answerTo, type Reader, type ShownState } from './answers';
import { NOW } from './samples';

export type { Reader, ShownState } from './answers';

const dist = join(import.meta.dirname, '../../dist');
const TYPES: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  json: 'application/json',
  woff2: 'font/woff2',
};

interface Platform {
  state: ShownState;
  reader: Reader;
  /** Whether files come from `dist`; else from the server that the page is opened at. */
  files: boolean;
  /** How late the API answers, in milliseconds. */
  delayOf?: (pathname: string) => number;
  /** Answers in place of the samples, by the end of the path. */
  instead?: Readonly<Record<string, unknown>>;
}

/** Answers all requests of a page: those of the API with samples, others with files. */
export async function answerFor(page: Page, { state, reader, files, delayOf, instead = {} }: Platform): Promise<void> {
  await page.clock.setFixedTime(NOW);
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/version') return route.fulfill({ status: 404 });
    if (!pathname.startsWith('/api/') && !pathname.startsWith('/p/'))
      return files ? answerFile(route, pathname) : route.fallback();
    if (delayOf) await new Promise((resolve) => setTimeout(resolve, delayOf(pathname)));
    const own = Object.keys(instead).find((ending) => pathname.endsWith(ending));
    if (own) return route.fulfill({ json: instead[own] });
    const { status, type, body, headers } = answerTo(route.request().method(), pathname, state, reader);
    return route.fulfill({ status, body, headers: { ...headers, 'Content-Type': type } });
  });
}

function answerFile(route: Route, pathname: string): Promise<void> {
  const wanted = join(dist, pathname);
  const page = pathname.startsWith('/c/') ? 'accounts.html' : 'index.html';
  const file = /\.\w+$/.test(pathname) && existsSync(wanted) ? wanted : join(dist, page);
  return route.fulfill({
    body: readFileSync(file),
    contentType: TYPES[file.replace(/^.*\./, '')] ?? 'application/octet-stream',
  });
}
