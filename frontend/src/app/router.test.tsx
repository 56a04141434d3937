import { expect, test } from 'vitest';

import type { Session } from '@/lib/session';
import { isSuperadmin } from '@/lib/session';
import { ANN } from '@/testing/server';

import { homeOf } from './router';

const session = (superadmin: boolean): Session => ({ state: 'signed-in', user: ANN, accountId: ANN.accountId, isSuperadmin: superadmin, has: () => false });

test.each<[Session, string]>([[{ state: 'anonymous' }, '/'], [session(false), '/catalog'], [session(true), '/superadmin']])('an address that does not exist leads home', (who, home) => {
  expect(homeOf(who)).toBe(home);
});

test.each([
  [{ permissions: ['Accounts_Admin_Write'], accountId: 1 }, true], [{ permissions: ['ACCOUNTS_ADMIN_WRITE'], accountId: null }, false],
  [{ permissions: ['MLP_USER'], accountId: 1 }, false],
])('%o', (user, yes) => {
  expect(isSuperadmin(user)).toBe(yes);
});
