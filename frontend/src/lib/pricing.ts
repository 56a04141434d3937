import type { ModelBillingSettingsData } from '@/api/generated/core.gen';

/** The offer of a service in numbers. The rules below are those of libs/kit/pricing.py; the values are the API's. */
export interface Offer {
  unit: 'calls' | 'custom' | 'direct';
  unitPrice: number;
  /** For each account that pays, in each calendar month. */
  freeUnits: number;
  /** What one call costs at most; null where the price is known before the call. */
  most: number | null;
}

/** Null if calls are free. `defaultMost`: the installation's bound for owners who have published none. */
export function offerOf(billing: ModelBillingSettingsData, defaultMost: number): Offer | null {
  const unit = billing.billingUnit ?? 'calls';
  const unitPrice = Number(billing.billingUnitPriceInCurrency ?? 0);
  if (!billing.isBillingEnabled || (unit !== 'direct' && unitPrice === 0)) return null;
  const published = billing.maxPriceInCurrency;
  const most = unit === 'calls' ? null : Number(published ?? Math.max(defaultMost, unit === 'direct' ? 0 : unitPrice));
  return { unit, unitPrice, freeUnits: unit === 'direct' ? 0 : (billing.freeUnitQuota ?? 0), most };
}

/**
 * What `calls` calls of a month cost at most if each uses `unitsPerCall` units. A call is bounded in whole units, before
 * free units are subtracted. A service that reports its price is counted with its bound.
 */
export function monthlyCost({ unit, unitPrice, freeUnits, most }: Offer, calls: number, unitsPerCall: number): number {
  if (unit === 'direct') return calls * (most ?? 0);
  const wanted = unit === 'calls' ? 1 : unitsPerCall;
  const units = most === null ? wanted : Math.min(wanted, Math.floor(nano(most) / nano(unitPrice)));
  return (Math.max(0, calls * units - freeUnits) * nano(unitPrice)) / NANO;
}

const NANO = 1_000_000_000;
// Whole numbers: 0.3 / 0.1 is less than 3.
const nano = (amount: number) => Math.round(amount * NANO);
