import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BY_HAND = /\bfromNow\(|\.toFixed\(|\.toLocale\w*String\(|\\B\(\?=/;
/** Here Intl is used; a chart's coordinates are no text. */
const OURS = /^src\/(?:lib\/format|components\/(?:format|charts))\//;

test('numbers and moments are written by Money, When, Duration and lib/format alone', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.') && !OURS.test(path));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => BY_HAND.test(readFileSync(path, 'utf8')))).toEqual([]);
});
