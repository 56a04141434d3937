import { beforeEach, describe, expect, test } from 'vitest';

import { isMissing, mayLeave } from './refusals';

test.each([
  [404, 'mlp.gate.model_not_found', true],
  [403, 'account.access.denied', true],
  [403, 'mlp.gate.access_denied', false],
  [500, 'http.500', false],
])('%d %s means that the object is missing: %s', (status, code, missing) =>
  expect(isMissing({ status, code })).toBe(missing),
);

describe('the page that selects an account', () => {
  beforeEach(() => sessionStorage.clear());

  test('is opened once for one address', () => {
    expect(mayLeave(sessionStorage, '/workspace', 1000)).toBe(true);
    expect(mayLeave(sessionStorage, '/workspace', 2000)).toBe(false);
  });

  test('is opened for another address, and again later', () => {
    expect(mayLeave(sessionStorage, '/workspace', 1000)).toBe(true);
    expect(mayLeave(sessionStorage, '/workspace/billing', 2000)).toBe(true);
    expect(mayLeave(sessionStorage, '/workspace/billing', 3_600_000)).toBe(true);
  });
});
