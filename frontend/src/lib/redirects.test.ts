import { expect, test } from 'vitest';

import { loginAddress, safeRedirect } from './redirects';

const ORIGIN = 'https://mlplace.example';

test.each([
  ['/catalog?page=2#top', '/catalog?page=2#top'],
  ['https://mlplace.example/workspace', '/workspace'],
  ['catalog', '/catalog'],
])('%s is an address of ours', (wanted, target) => {
  expect(safeRedirect(wanted, ORIGIN)).toBe(target);
});

test.each([
  null,
  '',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'javascript:alert(1)',
  'https://mlplace.example.evil.example/',
  'https://mlplace.example@evil.example/',
  'https://user@mlplace.example/',
  '/\t/evil.example',
  'http://mlplace.example/',
  'data:text/html,x',
])('%s leads nowhere', (wanted) => {
  expect(safeRedirect(wanted, ORIGIN)).toBeNull();
});

test('the way back is part of the address of the sign-in page', () => {
  expect(loginAddress('/catalog?a=1&b=2')).toBe('/c/login?redirectUrl=%2Fcatalog%3Fa%3D1%26b%3D2');
});

test('another host of the platform is one of ours, over TLS only', () => {
  const hosts = ['cloud.example.org'];
  expect(safeRedirect('https://cloud.example.org/catalog?a=1', ORIGIN, hosts)).toBe(
    'https://cloud.example.org/catalog?a=1',
  );
  for (const no of [
    'http://cloud.example.org/',
    'https://cloud.example.org:444/',
    'https://evil.cloud.example.org/',
    'https://me@cloud.example.org/',
  ]) {
    expect([no, safeRedirect(no, ORIGIN, hosts)]).toEqual([no, null]);
  }
});
