import type { FieldSpec, SectionSpec } from '@/components/settings/fields';
import { PUBLIC_MODEL_ADMIN } from '@/lib/rights';

/** Who may use the service, and what it costs. */

const count = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'number', min: 0, ...more });
const maybe = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => count(path, { optional: true, ...more });
const flag = (path: string, more: Partial<FieldSpec> = {}): FieldSpec => ({ path, kind: 'switch', ...more });

export const ACCESS: SectionSpec[] = [
  {
    title: 'publicity',
    fields: [
      flag('isPublic', { needs: PUBLIC_MODEL_ADMIN }),
      flag('publicTestingAllowed', { when: 'isPublic' }),
      count('visitorCallsPerDay', { when: 'publicTestingAllowed' }),
      flag('hidden', { when: 'isPublic' }),
      flag('featured', { when: 'isPublic', needs: PUBLIC_MODEL_ADMIN }),
      maybe('featuredListOrder', { when: 'featured', needs: PUBLIC_MODEL_ADMIN }),
      flag('showPersonalDataDisclaimer'),
      flag('availableInJaicp'),
    ],
  },
  { title: 'others', fields: [{ path: 'allowedAccounts', kind: 'numbers', needs: PUBLIC_MODEL_ADMIN }] },
];

export const BILLING: SectionSpec[] = [
  {
    title: 'price',
    fields: [
      flag('isBillingEnabled', { needs: PUBLIC_MODEL_ADMIN }),
      { path: 'billingUnit', kind: 'select', options: ['calls', 'custom', 'direct'], when: 'isBillingEnabled' },
      {
        path: 'billingUnitPriceInCurrency',
        kind: 'number',
        min: 0,
        decimals: 9,
        unit: 'currency',
        when: 'isBillingEnabled',
        optional: true,
      },
      { path: 'currency', kind: 'select', options: ['RUBLE', 'TOKEN'], when: 'isBillingEnabled' },
      {
        path: 'maxPriceInCurrency',
        kind: 'number',
        min: 0,
        decimals: 9,
        unit: 'currency',
        when: 'isBillingEnabled',
        optional: true,
      },
      maybe('freeUnitQuota', { when: 'isBillingEnabled' }),
      flag('allowDeferredBilling', { when: 'isBillingEnabled' }),
    ],
  },
];
