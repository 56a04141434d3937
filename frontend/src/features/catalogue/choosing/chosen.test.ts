import { expect, test } from 'vitest';

import { chosenIn, compareAddress, withChosen } from './chosen';

test('an address names up to four services; wrong and repeated names count for nothing', () => {
  expect(chosenIn(new URLSearchParams('compare=acme/a,acme/a,..,acme,acme/b/c,acme/b,x/c,x/d,x/e'))).toEqual([
    'acme/a',
    'acme/b',
    'x/c',
    'x/d',
  ]);
  expect(chosenIn(new URLSearchParams(''))).toEqual([]);
});

test('a choice keeps the rest of the address, and its address reads the same', () => {
  expect(withChosen(new URLSearchParams('search=x'), []).toString()).toBe('search=x&compare=');
  expect(withChosen(new URLSearchParams('search=x&compare=a/b'), null).toString()).toBe('search=x');
  expect(chosenIn(new URL(compareAddress(['acme/a', 'acme/b']), 'http://x').searchParams)).toEqual([
    'acme/a',
    'acme/b',
  ]);
});
