import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { formatPrice } from '@/lib/money';

export function Price({ model }: { model: Pick<ModelInfoData, 'billingSettings'> }) {
  const { t } = useTranslation('Catalog');
  const { isBillingEnabled, billingUnit, billingUnitPriceInCurrency, currency } = model.billingSettings;
  const price = Number(billingUnitPriceInCurrency ?? 0);
  const unit = currency === 'TOKEN' ? t('tokens') : '₽';
  if (!isBillingEnabled || (billingUnit !== 'direct' && price === 0)) return <Text size="sm">{t('free')}</Text>;
  return (
    <Text size="sm" ff="monospace">
      {billingUnit === 'direct' ? t('priced.direct') : `${formatPrice(price)} ${unit} ${t(`priced.${billingUnit ?? 'calls'}`)}`}
    </Text>
  );
}
