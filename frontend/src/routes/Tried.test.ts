import { expect, test } from 'vitest';

import type { Session } from '@/lib/session';
import { ANN } from '@/testing/server';

import { hindranceOf } from '@/lib/hindrance';

const session = (accountId: number | null): Session => ({
  state: 'signed-in',
  user: ANN,
  accountId,
  isSuperadmin: false,
  has: () => false,
});
const model = (publicTestingAllowed: boolean) => ({
  id: { accountId: 5, modelId: 1 },
  publicSettings: { publicTestingAllowed },
});

test.each<[Session, boolean, string | null]>([
  [{ state: 'anonymous' }, true, 'signedOut'],
  [session(null), true, 'noAccount'],
  [session(5), false, null],
  [session(6), false, 'notAllowed'],
  [session(6), true, null],
])('%o with testing allowed %s: %s', (who, allowed, hindrance) => {
  expect(hindranceOf(who, model(allowed))).toBe(hindrance);
});
