import { expect, test } from 'vitest';

import { heightOf, keepHeight } from './keptHeight';

test('a height is known in windows of the width in which it was seen', () => {
  keepHeight(localStorage, 'banners', 390, 76);
  expect(heightOf(localStorage, 'banners', 390)).toBe(76);
  expect(heightOf(localStorage, 'banners', 1280)).toBe(0);
  expect(heightOf(localStorage, 'others', 390)).toBe(0);
});

test('what is not shown any more has no height', () => {
  keepHeight(localStorage, 'banners', 390, 76);
  keepHeight(localStorage, 'banners', 390, 0);
  expect(heightOf(localStorage, 'banners', 390)).toBe(0);
});

test.each(['', 'x', '390', '390 x', '390 Infinity'])('a kept text that is no height counts as none: %j', (text) => {
  localStorage.setItem('height:banners', text);
  expect(heightOf(localStorage, 'banners', 390)).toBe(0);
});
