import { expect, test } from 'vitest';

import { notesOf } from './notes';

const mark = (time: number, text: string) => ({ time, text, kind: 'up' as const });

test('an event belongs to the nearest time, and one far outside of the times to none', () => {
  const notes = notesOf(
    [100, 160, 220],
    [mark(104, 'a'), mark(150, 'b'), mark(165, 'c'), mark(230, 'd'), mark(900, 'e')],
    60,
  );
  expect([...notes]).toEqual([
    [0, ['a']],
    [1, ['b', 'c']],
    [2, ['d']],
  ]);
  expect(notesOf([], [mark(1, 'a')], 60).size).toBe(0);
});
