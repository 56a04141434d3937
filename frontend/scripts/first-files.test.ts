import { expect, test } from 'vitest';

import { groupsOf, type Module } from './first-files.ts';

const INDEX = '/x/node_modules/@mantine/core/esm/index.mjs';
const within = (name: string) => `/x/node_modules/@mantine/core/esm/${name}.mjs`;

const modules: Record<string, Module> = {
  app: {
    code: 'import { Card as Box, type Props } from "@mantine/core";',
    importedIds: ['react', 'page', 'answers', INDEX],
  },
  page: { code: '', importedIds: ['router', 'app'] },
  accounts: { code: 'import { Input } from "@mantine/core";', importedIds: ['react', INDEX] },
  early: { code: '', importedIds: ['answers'] },
  [INDEX]: {
    code: 'import { Card } from "./Card.mjs";\nimport { Input } from "./Input.mjs";\nexport { Card, Input };',
    importedIds: [within('Card'), within('Input')],
  },
};

test('what the sign-in pages need too is apart, and so is what runs before the application', () => {
  const groups = groupsOf(['app', 'accounts', 'early'], (id) => modules[id] ?? null);
  expect(Object.fromEntries(groups)).toEqual({
    react: 'both',
    page: 'first',
    router: 'first',
    answers: 'early',
    [within('Card')]: 'first',
  });
});

test('an index that passes on defaults is looked through', () => {
  const icons = '/x/node_modules/@tabler/icons-react/dist/esm/tabler-icons-react.mjs';
  const known: Record<string, Module> = {
    app: { code: 'import { IconB } from "@tabler/icons-react";', importedIds: [icons] },
    [icons]: {
      code: "export { default as IconA } from './icons/A.mjs';\nexport { default as IconB, default as IconC } from './icons/B.mjs';",
      importedIds: [],
    },
  };
  expect([...groupsOf(['app', 'accounts', 'early'], (id) => known[id] ?? null).keys()]).toEqual([
    '/x/node_modules/@tabler/icons-react/dist/esm/icons/B.mjs',
  ]);
});
