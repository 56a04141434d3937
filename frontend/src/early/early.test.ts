import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { coreApi } from '@/api';
import { createStore } from '@/app/store';
import { server, SETTINGS, signedIn, signedOut } from '@/testing/server';

import { askEarly, earlyAnswer } from './answers';
import { begin, type Files } from './early';
import { needsOf, type Part, PARTS } from './parts';

const SETTINGS_PATH = '/api/mlpcore/system-config/frontend-settings';
const address = (path: string) => window.location.origin + path;
/** Files of one worker share the document, so other links may be there. */
const links = () => [...document.head.querySelectorAll('link')].filter((link) => link.rel.endsWith('preload'));
const preloaded = () => links().map((link) => `${link.rel} ${link.getAttribute('href')}`);

/** Each part is one file of its name; the space has a style too. */
function files(): Files {
  const names = [...Object.keys(PARTS).map((part) => `${part}.js`), 'space.css'];
  const parts = Object.fromEntries(
    Object.keys(PARTS).map((part, number) => [part, part === 'space' ? [number, names.length - 1] : [number]]),
  );
  return { names, parts: parts as Record<Part, number[]> };
}

beforeEach(() => {
  links().forEach((link) => link.remove());
  localStorage.setItem('USER_LANGUAGE', 'en');
});
afterEach(() => {
  window.earlyAnswers = undefined;
  links().forEach((link) => link.remove());
});

describe('before the application is there', () => {
  test('the files of the language and of the page are asked for, those of members when somebody is signed in', async () => {
    signedIn();
    begin('/workspace', files());
    expect(preloaded()).toEqual(['modulepreload /assets/en.js']);
    await vi.waitFor(() =>
      expect(preloaded()).toEqual([
        'modulepreload /assets/en.js',
        'modulepreload /assets/workspace.js',
        'modulepreload /assets/space.js',
        'preload /assets/space.css',
        'modulepreload /assets/member.js',
      ]),
    );
  });

  test('nothing of members is loaded for visitors', async () => {
    signedOut();
    begin('/', files());
    await earlyAnswer({ method: 'GET', url: address('/api/accountsadmin/c/authorization/session') });
    expect(preloaded()).toEqual(['modulepreload /assets/en.js', 'modulepreload /assets/landing.js']);
  });

  test('the answers are asked for even if the page does not name its files', () => {
    signedOut();
    begin('/landing', null);
    expect([...(window.earlyAnswers?.keys() ?? [])]).toEqual([
      address('/api/accountsadmin/c/authorization/session'),
      address(SETTINGS_PATH),
    ]);
  });
});

describe('the state of a service', () => {
  const STATUS = '/api/mlpcore/account/7/model/3/status';
  test.each([
    [7, 1],
    [8, 0],
  ])('is asked for early by its own account alone: member of %d', async (accountId, times) => {
    signedIn({ accountId });
    let asked = 0;
    server.use(
      http.get(`*${STATUS}`, () => ((asked += 1), HttpResponse.json({}))),
      http.get('*/api/mlpcore/account/7/model/3', () => HttpResponse.json({})),
      http.get('*/task-types', () => HttpResponse.json([])),
    );
    begin('/workspace/model/7/3', files());
    await vi.waitFor(() => expect(preloaded()).toContain('modulepreload /assets/own.js'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBe(times);
  });
});

test.each([
  [
    '/catalog',
    [
      '/api/mlpcore/system-config/task-types',
      '/api/mlpcore/catalog-category',
      '/api/mlpcore/models/featured',
      '/api/mlpcore/models?onlyPublic=true&size=9&sort=popularity%2Cdesc',
      '/api/mlpcore/models?onlyPublic=true&size=9&sort=id%2Cdesc',
    ],
  ],
  ['/catalog/acme/ner-ru', ['/api/mlpcore/account/acme/model/ner-ru', '/api/mlpcore/system-config/task-types']],
  ['/workspace/model/7/3/settings/access', ['/api/mlpcore/account/7/model/3', '/api/mlpcore/system-config/task-types']],
  ['/catalog/compare', []],
  ['/workspace/billing', []],
  ['/no/such', []],
])('the page %s needs %j', (path, asks) => {
  expect(needsOf(path).asks).toEqual(asks);
});

/** Counts the requests for the settings. */
function counted(): () => number {
  let count = 0;
  server.use(http.get(`*${SETTINGS_PATH}`, () => (count++, HttpResponse.json(SETTINGS))));
  return () => count;
}

const read = () => createStore(() => undefined).dispatch(coreApi.endpoints.coreGetFrontendSettings.initiate());

describe('an early answer', () => {
  test('is given to the API client once, and then the platform is asked again', async () => {
    const count = counted();
    await askEarly(SETTINGS_PATH);
    expect((await read()).data).toEqual(SETTINGS);
    expect(count()).toBe(1);
    await read();
    expect(count()).toBe(2);
  });

  test('is for reading only', async () => {
    counted();
    await askEarly(SETTINGS_PATH);
    expect(earlyAnswer({ method: 'POST', url: address(SETTINGS_PATH) })).toBeUndefined();
    expect(earlyAnswer({ method: 'GET', url: address(SETTINGS_PATH) })).toBeDefined();
  });

  test('that failed is asked for again', async () => {
    server.use(http.get(`*${SETTINGS_PATH}`, () => HttpResponse.error()));
    await expect(askEarly(SETTINGS_PATH)).rejects.toThrow('Failed to fetch');
    counted();
    expect((await read()).data).toEqual(SETTINGS);
  });
});
