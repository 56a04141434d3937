import { describe, expect, test } from 'vitest';

import type { Problem } from '@/api/problem';

import { refusedFault, sizeFault } from './faults';

const FILE = { name: 'a.csv', size: 900 };

function refused(code: string, status: number, args: Record<string, string> = {}, rest: Partial<Problem> = {}) {
  return refusedFault({ code, status, message: 'said', args, requestId: null, ...rest }, FILE);
}

describe('a file before it is sent', () => {
  test.each([
    [{ limit: 900, free: 900 }, null],
    [
      { limit: 899, free: 100 },
      { kind: 'tooLarge', ...FILE, limit: 899 },
    ],
    [
      { limit: 1000, free: 899 },
      { kind: 'noRoom', ...FILE, free: 899 },
    ],
    [
      { limit: undefined, free: 899 },
      { kind: 'noRoom', ...FILE, free: 899 },
    ],
    [{ limit: undefined, free: null }, null],
  ])('with the bounds %o: %o', (bounds, fault) => {
    expect(sizeFault(FILE, bounds)).toEqual(fault);
  });
});

describe('a refusal of the server', () => {
  test.each([
    ['mlp.core.object_too_large', 413, { limit: '800' }, { kind: 'tooLarge', ...FILE, limit: 800 }],
    ['mlp.core.dataset_too_large', 413, { limit: '800' }, { kind: 'tooLarge', ...FILE, limit: 800 }],
    ['mlp.gate.request_too_large', 413, { limit: '800', unit: 'bytes' }, { kind: 'tooLarge', ...FILE, limit: 800 }],
    ['mlp.core.dataset_too_large', 413, { limit: 'much' }, { kind: 'tooLarge', ...FILE, limit: null }],
    ['http.413', 413, {}, { kind: 'tooLarge', ...FILE, limit: null }],
    ['mlp.core.storage_limit_exceeded', 413, { limit: '1000', used: '700' }, { kind: 'noRoom', ...FILE, free: 300 }],
    ['mlp.core.storage_limit_exceeded', 413, { limit: '1000', used: '1200' }, { kind: 'noRoom', ...FILE, free: 0 }],
    ['mlp.core.storage_limit_exceeded', 413, {}, { kind: 'failed', name: 'a.csv' }],
    ['mlp.core.dataset_content_invalid', 400, { line: '1' }, { kind: 'wrongFormat', name: 'a.csv', endings: [] }],
    ['mlp.core.unsupported_content_type', 415, {}, { kind: 'wrongFormat', name: 'a.csv', endings: [] }],
    ['mlp.core.object_limit_exceeded', 403, { limit: '9' }, { kind: 'failed', name: 'a.csv' }],
    ['mlp.core.internal', 500, {}, { kind: 'failed', name: 'a.csv' }],
    ['client.no_answer', 0, {}, { kind: 'failed', name: 'a.csv' }],
  ])('%s with %i %o: %o', (code, status, args, fault) => {
    expect(refused(code, status, args as Record<string, string>)).toEqual(fault);
  });

  test.each([
    ['file', 'too_many', { kind: 'tooMany', count: null }],
    ['name', 'too_many', { kind: 'failed', name: 'a.csv' }],
    ['file', 'file_name', { kind: 'failed', name: 'a.csv' }],
  ])('of the field %s by the rule %s: %o', (path, rule, fault) => {
    const violations = [{ path, rule, args: { max: '1' }, message: 'said' }];
    expect(refused('mlp.core.validation_error', 400, { [path]: 'said' }, { violations })).toEqual(fault);
  });
});
