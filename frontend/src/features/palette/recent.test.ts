import { expect, test } from 'vitest';

import { addRecent, readRecent } from './recent';

const item = (id: string, to = `/${id}`) => ({ id, title: id, hint: null, to });

test('keeps the newest five of each account, each once', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'c']) addRecent(localStorage, 1, item(id));
  expect(readRecent(localStorage, 1).map(({ id }) => id)).toEqual(['c', 'f', 'e', 'd', 'b']);
  expect(readRecent(localStorage, 2)).toEqual([]);
});

test.each([
  'no json',
  '{}',
  JSON.stringify([item('x', '//evil.example'), item('y', 'https://evil.example'), { id: 1 }]),
])('ignores what it did not write: %s', (kept) => {
  localStorage.setItem('palette-recent:1', kept);
  expect(readRecent(localStorage, 1)).toEqual([]);
});
