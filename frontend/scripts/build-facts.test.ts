import { expect, test } from 'vitest';

import { buildFrom, firstLoadLimit, reportOf, withImports } from './build-facts.ts';

test('a build is called as its environment says, else by its time', () => {
  const now = new Date('2026-11-21T12:34:56.789Z');
  expect(buildFrom({ MLP_BUILD_NUMBER: '7', MLP_BUILD_BRANCH: 'main' }, now)).toEqual({
    buildNumber: '7',
    buildDate: '2026-11-21T12:34:56',
    buildBranch: 'main',
  });
  expect(buildFrom({}, now).buildNumber).toBe('20261121123456');
});

test('what files import is loaded with them, each once', () => {
  const chunks = new Map([
    ['a', { imports: ['b', 'c'] }],
    ['b', { imports: ['c'] }],
    ['c', { imports: ['a'] }],
    ['lazy', { imports: [] }],
  ]);
  expect([...withImports(['a'], chunks)].toSorted()).toEqual(['a', 'b', 'c']);
});

const written = (limit: number, modules = ['src/main.tsx']) => {
  // Of a build only this is asked for.
  const bundle = {
    'a.js': { type: 'chunk', fileName: 'a.js', code: 'x', imports: [], moduleIds: ['/there/src/main.tsx'] },
  };
  const { writeBundle } = firstLoadLimit({ page: 'a page', modules, limit });
  return () => (writeBundle as unknown as (options: object, bundle: object) => void)({}, bundle);
};

test('a build that is too large fails', () => {
  expect(written(10)).toThrow(/of a page is .* may be 0\.0 kB/);
});

test('a page that the build does not know is not forgotten in silence', () => {
  expect(written(1e6, ['src/gone.tsx'])).toThrow('no file of the build holds src/gone.tsx');
});

test('a report names packages and folders, the largest first', () => {
  const random = Array.from({ length: 3000 }, (_, index) => ((index * 7919) % 1009).toString(36)).join('');
  const report = reportOf('a page', [
    {
      '/x/node_modules/@mantine/core/esm/a.mjs': { code: random },
      '/x/node_modules/@mantine/core/esm/b.mjs': { code: 'b' },
    },
    { '/x/src/features/shell/Shell.tsx': { code: 'shell' }, '/x/src/main.tsx': { code: null } },
  ]);
  expect(report.split('\n').map((line) => line.trim().replace(/^\S+ kB\s+/, ''))).toEqual([
    'a page:',
    '@mantine/core',
    'src/features/shell',
    'src/main.tsx',
  ]);
});
