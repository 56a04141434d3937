import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { formatPrice } from '@/lib/format/money';
import { useSettings } from '@/lib/session';

export function Price({ model }: { model: Pick<ModelInfoData, 'billingSettings'> }) {
  const { t } = useTranslation('Catalog');
  const { data: settings } = useSettings();
  const { isBillingEnabled, billingUnit, billingUnitPriceInCurrency, currency, maxPriceInCurrency } = model.billingSettings;
  const price = Number(billingUnitPriceInCurrency ?? 0);
  const unit = currency === 'TOKEN' ? t('tokens') : '₽';
  if (!isBillingEnabled || (billingUnit !== 'direct' && price === 0)) return <Text size="sm" data-testid="price">{t('free')}</Text>;
  const told = billingUnit === 'direct' ? t('priced.direct') : `${formatPrice(price)} ${unit} ${t(`priced.${billingUnit ?? 'calls'}`)}`;
  const most = billingUnit === 'calls' ? null : (maxPriceInCurrency ?? Math.max(settings?.defaultMaxPrice ?? 0, price));
  return (
    <Text size="sm" component="div" data-testid="price">
      <Text span inherit ff="monospace">
        {told}
      </Text>
      {most ? (
        <Text span size="xs" c="dimmed">
          , {t('atMost', { price: `${formatPrice(Number(most))}\u00a0${unit}` })}
        </Text>
      ) : null}
    </Text>
  );
}
