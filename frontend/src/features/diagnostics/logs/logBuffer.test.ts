import { expect, test } from 'vitest';

import { LogBuffer, matching, MOST_LINES } from './logBuffer';

const LOG = 'INFO starts\nWARNING slow disk\nERROR lost the Disk\nTraceback (most recent call last)\n';

function read(...pieces: string[]): LogBuffer {
  const buffer = new LogBuffer();
  for (const text of pieces) buffer.add({ run: '1.0', start: buffer.end, end: buffer.end + text.length, text });
  return buffer;
}

const texts = (buffer: LogBuffer) => buffer.lines.map(({ number, text }) => [number, text]);

test('lines keep their numbers; an end of line makes none', () => {
  expect(read(LOG).lines.map(({ number, level }) => [number, level])).toEqual([
    [1, 'plain'],
    [2, 'warning'],
    [3, 'error'],
    [4, 'error'],
  ]);
  expect(read('').lines).toEqual([]);
});

test('a line that came in pieces is one line', () => {
  expect(texts(read('one\ntw', 'o', '\nthree', '\n', 'four'))).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, 'three'],
    [4, 'four'],
  ]);
});

test('nothing new leaves the lines as they are', () => {
  const buffer = read('one\ntwo');
  const { lines } = buffer;
  expect(buffer.add({ run: '1.0', start: 7, end: 7, text: '' })).toBe(false);
  expect(buffer.lines).toBe(lines);
});

test('output that is no longer kept leaves a mark', () => {
  const buffer = read('one\ntw');
  buffer.add({ run: '1.0', start: 100, end: 105, text: 'last\n' });
  expect(buffer.lines.map(({ number, text, gap }) => [number, text, gap])).toEqual([
    [1, 'one', false],
    [2, 'tw', false],
    [3, '', true],
    [4, 'last', false],
  ]);
});

test('another run begins anew', () => {
  const buffer = read('one\ntw');
  expect(buffer.add({ run: '1.1', start: 0, end: 6, text: 'again\n' })).toBe(true);
  expect([texts(buffer), buffer.run, buffer.end]).toEqual([[[1, 'again']], '1.1', 6]);
});

test('words are found without regard to case', () => {
  expect(matching(read(LOG).lines, ' disk ').map(({ number }) => number)).toEqual([2, 3]);
});

test('levels leave out what is less severe', () => {
  expect(matching(read(LOG).lines, '', 'error').map(({ number }) => number)).toEqual([3, 4]);
  expect(matching(read(LOG).lines, '', 'warning').map(({ number }) => number)).toEqual([2, 3, 4]);
});

test('of a very long log the newest lines are kept', () => {
  const many = Array.from({ length: MOST_LINES + 1000 }, (_, index) => `line ${index}`).join('\n');
  const { lines } = read(many, '\nlast');
  expect([lines.length, lines[0]?.number, lines.at(-1)?.number, lines.at(-1)?.text]).toEqual([
    MOST_LINES,
    1002,
    MOST_LINES + 1001,
    'last',
  ]);
});
