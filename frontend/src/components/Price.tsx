import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { formatPrice } from '@/lib/format/money';
import { offerOf } from '@/lib/pricing';
import { useSettings } from '@/lib/session';

export function Price({ model }: { model: Pick<ModelInfoData, 'billingSettings'> }) {
  const { t } = useTranslation('Catalog');
  const { data: settings } = useSettings();
  const unit = model.billingSettings.currency === 'TOKEN' ? t('tokens') : '₽';
  const offer = offerOf(model.billingSettings, settings?.defaultMaxPrice ?? 0);
  if (!offer)
    return (
      <Text size="sm" data-testid="price">
        {t('free')}
      </Text>
    );
  return (
    <Text size="sm" component="div" data-testid="price">
      {offer.unit === 'direct' ? (
        t('priced.direct')
      ) : (
        <>
          <Text span inherit ff="monospace" fw={500} style={{ whiteSpace: 'nowrap' }}>
            {`${formatPrice(offer.unitPrice)}\u00a0${unit}`}
          </Text>{' '}
          <Text span inherit style={{ whiteSpace: 'nowrap' }}>
            {t(`priced.${offer.unit}`)}
          </Text>
        </>
      )}
      {offer.most ? (
        <Text span size="xs" c="dimmed">
          , {t('atMost', { price: `${formatPrice(offer.most)}\u00a0${unit}` })}
        </Text>
      ) : null}
    </Text>
  );
}
