import { expect, test } from 'vitest';

import { droppedFiles } from './droppedFiles';

const file = (name: string) => new File(['x'], name);
const fileEntry = (name: string) => ({ name, isFile: true, file: (take: (found: File) => void) => take(file(name)) });
const folderEntry = (name: string, ...portions: object[][]) => ({
  name,
  isFile: false,
  createReader: () => ({ readEntries: (take: (found: object[]) => void) => take(portions.shift() ?? []) }),
});
const dropped = (entries: (object | null)[], files: File[] = []) =>
  droppedFiles({
    items: [{ kind: 'string' }, ...entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }))],
    files,
  } as never);
const paths = async (found: ReturnType<typeof dropped>) => (await found).map(({ path }) => path);

test('files of dropped folders have their paths, from every portion of a folder', async () => {
  const tree = folderEntry(
    'data',
    [fileEntry('a.csv'), folderEntry('deep', [fileEntry('b.csv')])],
    [fileEntry('c.csv')],
  );
  expect(await paths(dropped([fileEntry('top.txt'), tree, folderEntry('empty')]))).toEqual([
    'top.txt',
    'data/a.csv',
    'data/deep/b.csv',
    'data/c.csv',
  ]);
});

test('without entries, what was dropped is files', async () => {
  expect(await paths(droppedFiles({ files: [file('a'), file('b')] } as never))).toEqual(['a', 'b']);
  expect(await paths(dropped([null], [file('a')]))).toEqual(['a']);
});
