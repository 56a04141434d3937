import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

import type { ModelBillingSettingsData } from '@/api/generated/core.gen';
import { answers, SETTINGS } from '@/testing/server';
import { show } from '@/testing/render';

import { Price } from './Price';

const offer = (about: Partial<ModelBillingSettingsData>) => ({
  billingSettings: {
    isBillingEnabled: true,
    billingUnit: 'custom' as const,
    billingUnitPriceInCurrency: 2,
    currency: 'RUBLE' as const,
    ...about,
  },
});

test.each([
  [{ maxPriceInCurrency: 15 }, '2.00 ₽ per unit, 15.00\u00a0₽ a call at most'],
  [{ maxPriceInCurrency: null }, '2.00 ₽ per unit, 100.00\u00a0₽ a call at most'],
  [{ billingUnit: 'direct' as const, maxPriceInCurrency: 0.005 }, 'Priced per answer, 0.005\u00a0₽ a call at most'],
  [{ billingUnit: 'calls' as const, maxPriceInCurrency: 15 }, '2.00 ₽ per call'],
  [{ isBillingEnabled: false }, 'Free'],
])('the maximal price of a call is a part of the price: %o', async (about, text) => {
  answers('/api/mlpcore/system-config/frontend-settings', SETTINGS);
  show(<Price model={offer(about)} />);
  await waitFor(() =>
    expect(document.querySelector('[data-testid=price]')?.textContent.replaceAll('\u00a0', ' ')).toBe(
      text.replaceAll('\u00a0', ' '),
    ),
  );
});
