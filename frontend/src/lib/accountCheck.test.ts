import { expect, test } from 'vitest';

import type { DomainOption } from '@/api/generated/accounts.gen';

import { domainOf, mayWork } from './accountCheck';

const DOMAIN: DomainOption = {
  domain: 'ML.example.org',
  product: 'mlp',
  internalUserUiAvailable: false,
  ownerOnly: false,
};
const INTERNAL = { ...DOMAIN, internalUserUiAvailable: true };
const OWNERS = { ...DOMAIN, ownerOnly: true };
const ACCOUNTS = [
  { id: 1, name: 'acme', availableToSelect: true },
  { id: 2, name: 'closed', availableToSelect: false },
];
const ann = { internal: false, accountId: 1, accountOwner: false };

test.each([
  ['an allowed account', ann, DOMAIN, true],
  ['an account without a domain', ann, null, true],
  ['none selected', { ...ann, accountId: null }, DOMAIN, false],
  ['one that is not allowed', { ...ann, accountId: 3 }, DOMAIN, false],
  ['one that cannot be selected', { ...ann, accountId: 2 }, DOMAIN, false],
  ['no owner where only owners may', ann, OWNERS, false],
  ['an owner there', { ...ann, accountOwner: true }, OWNERS, true],
  ['staff where it has a place', { ...ann, internal: true, accountId: null }, INTERNAL, true],
  ['others there', { ...ann, accountId: null }, INTERNAL, false],
  ['staff elsewhere', { ...ann, internal: true, accountId: null }, DOMAIN, false],
])('%s', (_, user, domain, may) => {
  expect(mayWork({ user, domain, accounts: ACCOUNTS })).toBe(may);
});

test('a domain is known by its host name, whatever its case', () => {
  expect(domainOf([DOMAIN], 'ml.EXAMPLE.org')).toBe(DOMAIN);
  expect(domainOf([DOMAIN], 'other.example.org')).toBeNull();
});
