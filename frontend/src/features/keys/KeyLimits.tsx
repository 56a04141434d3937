import { Select, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { useSettings } from '@/lib/session';

import classes from './KeyForm.module.css';
import { type KeyValues, PERIODS } from './keyValues';
import { LifetimeField } from './LifetimeField';
import { LimitField } from './LimitField';
import { SpendingLimits } from './SpendingLimits';

interface Props {
  form: UseFormReturnType<KeyValues>;
  edited: AccessTokenData | null;
}

/** The fields for how long, how often and how much. Only an empty one sets no limit. */
export function KeyLimits({ form, edited }: Props) {
  const { t } = useTranslation('Keys');
  const { data: settings } = useSettings();
  const currency = settings?.currencyType ?? 'RUBLE';
  const units = (['BYTES', 'CHARACTERS'] as const).map((value) => ({ value, label: t(`units.${value}`) }));
  const each = PERIODS.map((value) => ({ value, label: t(`each.${value}`) }));
  return (
    <>
      <Title order={3}>{t('limits')}</Title>
      <LifetimeField form={form} edited={edited} />
      <LimitField
        label={t('requestLimit')}
        placeholder={t('unlimited')}
        beside={
          <Select
            aria-label={t('per')}
            data={each}
            allowDeselect={false}
            {...form.getInputProps('requestLimitPeriod')}
          />
        }
        {...form.getInputProps('requestLimit')}
      />
      <LimitField
        label={t('requestSize')}
        placeholder={t('unlimited')}
        beside={
          <Select
            aria-label={t('unit')}
            data={units}
            allowDeselect={false}
            {...form.getInputProps('requestSizeUnit')}
          />
        }
        {...form.getInputProps('requestSize')}
      />
      <SpendingLimits form={form} currency={currency} />
      <LimitField
        decimal
        label={t('expenseLimit')}
        aria-label={`${t('expenseLimit')}, ${t(`Unit:full.${currency}`)}`}
        description={t('expenseLimitHint')}
        placeholder={t('unlimited')}
        rightSection={
          <span className={classes.unit} aria-hidden>
            {t(`Money:names.${currency}`)}
          </span>
        }
        rightSectionWidth={currency === 'TOKEN' ? 76 : undefined}
        {...form.getInputProps('expenseLimit')}
      />
      <LimitField
        decimal
        label={t('maxPricePerCall')}
        description={t('maxPricePerCallHint')}
        placeholder={t('unlimited')}
        {...form.getInputProps('maxPricePerCall')}
      />
    </>
  );
}
