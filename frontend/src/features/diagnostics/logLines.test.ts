import { expect, test } from 'vitest';

import { logLines } from './logLines';

const LOG = 'INFO starts\nWARNING slow disk\nERROR lost the Disk\nTraceback (most recent call last)\n';

test('lines keep their numbers; an end of line makes none', () => {
  expect(logLines(LOG, '').map(({ number, level }) => [number, level])).toEqual([[1, 'plain'], [2, 'warning'], [3, 'error'], [4, 'error']]);
  expect(logLines('', '')).toEqual([]);
});

test('words are found without regard to case', () => {
  expect(logLines(LOG, ' disk ').map(({ number }) => number)).toEqual([2, 3]);
});

test('levels leave out what is less severe', () => {
  expect(logLines(LOG, '', 'error').map(({ number }) => number)).toEqual([3, 4]);
  expect(logLines(LOG, '', 'warning').map(({ number }) => number)).toEqual([2, 3, 4]);
});

test('of a very long log the newest lines are shown', () => {
  const lines = logLines(Array.from({ length: 6000 }, (_, index) => `line ${index}`).join('\n'), '');
  expect([lines.length, lines[0]?.number, lines.at(-1)?.number]).toEqual([5000, 1001, 6000]);
});
