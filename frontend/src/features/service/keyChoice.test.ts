import { expect, test } from 'vitest';

import { mayCall } from './keyChoice';

const MODEL = { accountId: 5, modelId: 7 };
const NOW = Date.parse('2026-11-21T12:00:00Z');
const KEY = { permissions: ['predict' as const], allowedServices: null, expiresAt: null };

test.each([
  [KEY, true],
  [{ ...KEY, permissions: ['read' as const] }, false],
  [{ ...KEY, allowedServices: [MODEL] }, true],
  [{ ...KEY, allowedServices: [{ accountId: 5, modelId: 8 }] }, false],
  [{ ...KEY, allowedServices: [] }, false],
  [{ ...KEY, expiresAt: '2026-11-21T11:59:59Z' }, false],
  [{ ...KEY, expiresAt: '2026-11-22T00:00:00Z' }, true],
])('%o may call: %s', (key, yes) => {
  expect(mayCall(key, MODEL, NOW)).toBe(yes);
});
