import { expect, test } from 'vitest';

import { deletionsOf, type Row, rowsOf } from './objects';

const object = (key: string): Row => ({
  kind: 'object',
  key,
  name: key,
  size: 1,
  modified: '2026-01-01T00:00:00Z',
  etag: 'e',
  contentType: 'text/csv',
});
const folder = (prefix: string, name = prefix.slice(0, -1)): Row => ({ kind: 'folder', name, prefix });
const page = (folders: string[], keys: string[], prefix = '') => ({
  bucketName: 'b',
  prefix,
  next: null,
  folders: folders.map((found) => ({ name: '', prefix: found })),
  objects: keys.map((key) => ({
    key,
    name: key,
    size: 1,
    modified: '2026-01-01T00:00:00Z',
    etag: 'e',
    contentType: 'text/csv',
  })),
});
const of = (one: Row) => ({ ...page([], [], 'raw/'), objects: [one as never] });

test('folders of all pages come first, each once', () => {
  expect(rowsOf([page(['a/', 'b/'], ['x']), page(['b/', 'c/'], ['y'])])).toEqual([
    folder('a/'),
    folder('b/'),
    folder('c/'),
    object('x'),
    object('y'),
  ]);
});

test('names are what follows the folder, also where the prefix begins a name', () => {
  expect(rowsOf([page(['raw/january/'], ['raw/jam.txt'], 'raw/ja')])).toEqual([
    folder('raw/january/', 'january'),
    { ...object('raw/jam.txt'), name: 'jam.txt' },
  ]);
});

test('the empty object that makes the open folder exist is no file of it', () => {
  const [marker, content] = [{ ...object('raw/'), size: 0 }, object('raw/')] as const;
  expect(rowsOf([of(marker)])).toEqual([]);
  expect(rowsOf([of(content)])).toEqual([{ ...content, name: '' }]);
});

test('nothing is left out of a deletion that takes several requests', () => {
  const rows = [
    ...Array.from({ length: 1001 }, (_, at) => object(`k${at}`)),
    ...Array.from({ length: 250 }, (_, at) => folder(`f${at}/`)),
  ];
  const sent = deletionsOf(rows);
  expect(sent.map(({ keys, prefixes }) => [keys.length, prefixes.length])).toEqual([
    [1000, 100],
    [1, 100],
    [0, 50],
  ]);
  expect(new Set(sent.flatMap(({ keys }) => keys)).size).toBe(1001);
  expect(new Set(sent.flatMap(({ prefixes }) => prefixes)).size).toBe(250);
  expect(deletionsOf([])).toEqual([]);
});
