import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';

import { formatPrice } from '@/lib/format/money';

/** The currency in which the tried service charges. */
export const CurrencyOfCalls = createContext<string | null>(null);

/** Text of what a call cost. */
export function useCost(): (cost: number) => string {
  const { t } = useTranslation('Playground');
  const currency = useContext(CurrencyOfCalls);
  return (cost) =>
    cost === 0
      ? t('costNothing')
      : t('cost', { amount: `${formatPrice(cost)}\u00a0${currency === 'TOKEN' ? t('Catalog:tokens') : '₽'}` });
}
