import { expect, test } from 'vitest';

import { faultOf, LARGEST_FILE } from './files';

const file = (size: number, type = 'audio/wav') => ({ size, type });

test.each([
  [[file(1)], null],
  [[file(0)], 'fileEmpty'],
  [[], 'fileEmpty'],
  [[file(LARGEST_FILE)], null],
  [[file(LARGEST_FILE + 1)], 'fileLarge'],
  [[file(5, 'image/png')], 'fileKind'],
  [[file(5, '')], null],
  [[file(1), file(1)], 'fileMany'],
])('%o: %s', (files, fault) => {
  expect(faultOf(files, 'audio/')).toBe(fault);
});
