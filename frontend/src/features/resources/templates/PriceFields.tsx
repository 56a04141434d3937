import { NumberInput, Select, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { CURRENCIES, PERIODS, type TemplateValues } from './values';

const AMOUNT = { min: 0, max: 999_999_999, decimalScale: 9, hideControls: true };

/** What a server of a template costs, for how long, and what its owner pays for it. */
export function PriceFields({ form }: { form: UseFormReturnType<TemplateValues> }) {
  const { t } = useTranslation('Templates');
  const { t: keys } = useTranslation('Keys');
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
      <NumberInput label={t('price')} {...AMOUNT} {...form.getInputProps('tarifficationPrice')} />
      <Select
        label={t('period')}
        data={PERIODS.map((value) => ({ value, label: keys(`each.${value}`) }))}
        clearable
        {...form.getInputProps('tarifficationPeriod')}
      />
      <NumberInput
        label={t('costPrice')}
        description={t('costPriceHint')}
        {...AMOUNT}
        {...form.getInputProps('costPrice')}
      />
      <Select
        label={t('currency')}
        data={CURRENCIES.map((value) => ({ value, label: t(`currencies.${value}`) }))}
        clearable
        {...form.getInputProps('currency')}
      />
    </SimpleGrid>
  );
}
