import { describe, expect, test } from 'vitest';

import { originOf, originsOf } from './origins';

/** The cases of `libs/kit/tests/test_web_origins.py`. */
describe('originOf', () => {
  test.each([
    ['*', '*'],
    ['https://example.com', 'https://example.com'],
    ['HTTPS://Example.COM/', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['http://example.com:80', 'http://example.com'],
    ['http://example.com:443', 'http://example.com:443'],
    ['http://localhost:03000', 'http://localhost:3000'],
    ['https://a_b.example', 'https://a_b.example'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['https://BÜCHER.example', 'https://xn--bcher-kva.example'],
    ['https://xn--ls8h.example', 'https://xn--ls8h.example'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[0:0::1]:3000', 'http://[::1]:3000'],
    ['http://[::FFFF:1.2.3.4]', 'http://[::ffff:102:304]'],
  ])('%s is stored as %s', (text, origin) => {
    expect(originOf(text)).toBe(origin);
    expect(originOf(origin)).toBe(origin);
  });

  test('a name that only Python cannot translate has the form of browsers, which the server takes', () => {
    expect(originOf('https://straße.example')).toBe('https://xn--strae-oqa.example');
  });

  test.each([
    '',
    'null',
    'example.com',
    '//example.com',
    'ftp://example.com',
    'file:///a',
    'https://',
    'https:///',
    'https:example.com',
    'https://example.com/a',
    'https://example.com?a',
    'https://example.com#a',
    'https://a@example.com',
    'https://*.example.com',
    'https://example.com:0',
    'https://example.com:65536',
    'https://example.com:',
    'https://exa mple.com',
    ' https://example.com',
    'https://example.com\n',
    'https://exam\0ple.com',
    'https://exam%70le.com',
    'https://example.com\\a',
    'https://-a.example',
    'https://a..b',
    'https://1.2.3',
    'https://1.2.3.400',
    'https://0x7f.1',
    'https://[::1',
    'https://[::1%25lo]',
    'https://[zz]',
    `https://${'a'.repeat(64)}`,
    `https://${'a.'.repeat(140)}`,
    'https://a.example, https://b.example',
    'https://example.com:８０',
    'httpſ://example.com',
  ])('%j is no origin', (text) => {
    expect(originOf(text)).toBeNull();
  });
});

describe('originsOf', () => {
  test('each origin is there once, and what is none stays', () => {
    expect(originsOf(['HTTPS://A.example/', 'https://a.example:443', 'b.example'])).toEqual([
      'https://a.example',
      'b.example',
    ]);
  });

  test('beside any site, the others stay', () => {
    expect(originsOf(['https://a.example', 'nonsense', '*'])).toEqual(['https://a.example', 'nonsense', '*']);
  });
});
