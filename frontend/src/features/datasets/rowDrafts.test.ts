import { expect, test } from 'vitest';

import { changeOf, countOf, edited, editedAdded, NO_DRAFTS, toggledDeletion, withoutAdded, withRow } from './rowDrafts';

const STORED = ['hello', 'greeting'];

test('a row that is like the stored one again is no change', () => {
  const once = edited(NO_DRAFTS, 3, STORED, 0, 'hi');
  expect(changeOf(once, 2)).toEqual({ version: 2, changes: [{ row: 3, values: ['hi', 'greeting'] }], added: [] });
  expect(countOf(edited(once, 3, STORED, 0, 'hello'))).toBe(0);
});

test('a deletion can be taken back', () => {
  const doomed = toggledDeletion(edited(NO_DRAFTS, 1, STORED, 1, 'x'), 1);
  expect(changeOf(doomed, 1).changes).toEqual([{ row: 1, values: null }]);
  expect(countOf(toggledDeletion(doomed, 1))).toBe(0);
});

test('added rows are edited and removed by their place', () => {
  const two = withRow(withRow(NO_DRAFTS, 2), 2);
  const filled = editedAdded(two, 1, 1, 'label');
  expect(changeOf(filled, 1).added).toEqual([
    ['', ''],
    ['', 'label'],
  ]);
  expect(changeOf(withoutAdded(filled, 0), 1).added).toEqual([['', 'label']]);
});
