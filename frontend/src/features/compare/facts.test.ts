import { expect, test } from 'vitest';

import { bestOf, comparablePrice } from './facts';

const billing = (unit: 'calls' | 'custom' | 'direct', price: number, isBillingEnabled = true) => ({
  billingSettings: {
    isBillingEnabled,
    billingUnit: unit,
    billingUnitPriceInCurrency: price,
    freeUnitQuota: 0,
    currency: 'RUBLE' as const,
    maxPriceInCurrency: null,
    billingUnitPriceInNanoToken: null,
    allowDeferredBilling: false,
  },
});

test('the best is marked only where values differ', () => {
  expect([...bestOf([3, 1, null, 1], 'low')]).toEqual([1, 3]);
  expect([...bestOf([3, 1], 'high')]).toEqual([0]);
  expect([...bestOf([2, 2, null], 'low')]).toEqual([]);
  expect([...bestOf([2, null], 'low')]).toEqual([]);
});

test('prices of different units cannot be compared; free is the lowest', () => {
  const [calls, units, free] = [billing('calls', 2), billing('custom', 1), billing('calls', 5, false)];
  expect([calls, free].map((one) => comparablePrice(one, [calls, free]))).toEqual([2, 0]);
  expect([calls, units].map((one) => comparablePrice(one, [calls, units]))).toEqual([null, null]);
});
