import { describe, expect, test } from 'vitest';

import { monthlyCost, offerOf } from './pricing';

const BILLING = {
  isBillingEnabled: true,
  billingUnit: 'calls' as const,
  billingUnitPriceInCurrency: 0.25,
  freeUnitQuota: 10,
};

describe('offerOf', () => {
  test.each([
    { ...BILLING, isBillingEnabled: false },
    { ...BILLING, billingUnitPriceInCurrency: 0 },
  ])('a service without a price makes no offer', (billing) => {
    expect(offerOf(billing, 100)).toBeNull();
  });

  test('the bound is what the owner published, else the default, which is never below one unit', () => {
    const custom = { ...BILLING, billingUnit: 'custom' as const };
    expect(offerOf(BILLING, 100)?.most).toBeNull();
    expect(offerOf({ ...custom, maxPriceInCurrency: 3 }, 100)?.most).toBe(3);
    expect(offerOf(custom, 100)?.most).toBe(100);
    expect(offerOf(custom, 0.1)?.most).toBe(0.25);
    expect(offerOf({ ...custom, billingUnit: 'direct' }, 100)).toEqual({
      unit: 'direct',
      unitPrice: 0.25,
      freeUnits: 0,
      most: 100,
    });
  });
});

describe('monthlyCost', () => {
  test('free units are subtracted once, and never below zero', () => {
    const offer = { unit: 'calls' as const, unitPrice: 0.25, freeUnits: 10, most: null };
    expect([monthlyCost(offer, 8, 1), monthlyCost(offer, 10, 1), monthlyCost(offer, 1010, 5)]).toEqual([0, 0, 250]);
  });

  test('a call is bounded in whole units before free units', () => {
    const offer = { unit: 'custom' as const, unitPrice: 0.1, freeUnits: 5, most: 0.35 };
    expect(monthlyCost(offer, 10, 2)).toBeCloseTo(1.5, 9);
    expect(monthlyCost(offer, 10, 1000)).toBeCloseTo(2.5, 9);
    expect(monthlyCost({ ...offer, most: 0.3 }, 10, 1000)).toBeCloseTo(2.5, 9);
  });

  test('a price that only the answer tells is counted with its bound', () => {
    expect(monthlyCost({ unit: 'direct', unitPrice: 0, freeUnits: 0, most: 2 }, 10, 1)).toBe(20);
  });
});
