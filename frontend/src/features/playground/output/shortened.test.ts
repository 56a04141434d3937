import { expect, test } from 'vitest';

import { shortened } from './shortened';

test('what is short stays as it is', () => {
  const value = { a: [1, 'b', null], c: { d: true } };
  expect(shortened(value)).toEqual(value);
});

test('a long text or list is cut and says how much is missing', () => {
  expect(shortened({ audio: 'x'.repeat(2003) })).toEqual({ audio: `${'x'.repeat(2000)}… (+3)` });
  expect(shortened(Array.from({ length: 1002 }, () => 1))).toHaveLength(1001);
});
