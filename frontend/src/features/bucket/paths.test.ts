import { expect, test } from 'vitest';

import { contentPath, partsOf, searchOf, typedFolder, wayTo } from './paths';

test.each([
  ['', { folder: '', begins: '' }],
  ['a', { folder: '', begins: 'a' }],
  ['a/', { folder: 'a/', begins: '' }],
  ['a/b/c', { folder: 'a/b/', begins: 'c' }],
  ['/', { folder: '/', begins: '' }],
])('the prefix "%s" is in a folder and begins names', (prefix, parts) => expect(partsOf(prefix)).toEqual(parts));

test('a folder has a way from the top, through folders without a name too', () => {
  expect(wayTo('')).toEqual([]);
  expect(wayTo('a/b/')).toEqual([
    { name: 'a', prefix: 'a/' },
    { name: 'b', prefix: 'a/b/' },
  ]);
  expect(wayTo('/a//')).toEqual([
    { name: '', prefix: '/' },
    { name: 'a', prefix: '/a/' },
    { name: '', prefix: '/a//' },
  ]);
});

test.each([
  ['', ''],
  [' / ', ''],
  ['a', 'a/'],
  [' /a// b c /', 'a/b c/'],
  ['.a', '.a/'],
  ['..', null],
  ['a/./b', null],
  ['a\\b', null],
  ['a\u200bb', null],
])('the typed folder "%s" is %s', (typed, path) => expect(typedFolder(typed)).toBe(path));

test('addresses keep every character of a key', () => {
  expect(new URLSearchParams(searchOf('a b/+&?#й/')).get('prefix')).toBe('a b/+&?#й/');
  expect(searchOf('')).toBe('?');
  const { pathname, searchParams } = new URL(contentPath('1', 'a b/+&?#й%2F'), 'http://host');
  expect([pathname, searchParams.get('key')]).toEqual(['/api/mlpcore/account/1/s3/content', 'a b/+&?#й%2F']);
});
