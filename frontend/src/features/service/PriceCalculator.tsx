import { Group, NumberInput, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { Money } from '@/components/format/Money';
import { monthlyCost, offerOf } from '@/lib/pricing';
import { useSettings } from '@/lib/session';

const MOST = 1_000_000_000;
const CALLS = 1000;

/** What a month of calls costs. */
export function PriceCalculator({ model }: { model: Pick<ModelInfoData, 'billingSettings'> }) {
  const { t } = useTranslation('Price');
  const { data: settings } = useSettings();
  const [calls, setCalls] = useState(CALLS);
  const [units, setUnits] = useState(1);
  const offer = settings && offerOf(model.billingSettings, settings.defaultMaxPrice);
  if (!offer) return null;
  const field = {
    min: 0,
    max: MOST,
    allowDecimal: false,
    allowNegative: false,
    clampBehavior: 'strict',
    thousandSeparator: ' ',
    w: 150,
  } as const;
  const money = (amount: number) => (
    <Money amount={amount} currency={model.billingSettings.currency ?? undefined} price />
  );
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>{t('title')}</Title>
        <Group align="flex-end">
          <NumberInput label={t('calls')} {...field} value={calls} onChange={(value) => setCalls(Number(value) || 0)} />
          {offer.unit === 'custom' && (
            <NumberInput
              label={t('unitsPerCall')}
              {...field}
              value={units}
              onChange={(value) => setUnits(Number(value) || 0)}
            />
          )}
        </Group>
        <Text data-testid="estimate" size="lg">
          {t(offer.unit === 'calls' ? 'exactly' : 'atMost')} {money(monthlyCost(offer, calls, units))}
        </Text>
        {offer.freeUnits > 0 && (
          <Text size="sm" c="dimmed">
            {t('free', { count: offer.freeUnits })}
          </Text>
        )}
        {offer.most !== null && (
          <Text size="sm" c="dimmed">
            {t('bound')} {money(offer.most)}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t('failed')}
        </Text>
      </Stack>
    </Paper>
  );
}
