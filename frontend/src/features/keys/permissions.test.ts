import { expect, test } from 'vitest';

import en from '@/locales/en.json';
import ru from '@/locales/ru.json';

import { PERMISSIONS } from './keyValues';

test.each([['en', en], ['ru', ru]])('what a permission allows begins with its name in the API, in %s', (_, { Keys: texts }) => {
  expect(PERMISSIONS.filter((permission) => !texts.permissionHint[permission].startsWith(`${permission}: `))).toEqual([]);
});
