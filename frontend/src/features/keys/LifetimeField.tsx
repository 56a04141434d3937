import { Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { formatMoment } from '@/lib/format/time';

import { expiryOf, type KeyValues, PERIODS } from './keyValues';
import { LimitField } from './LimitField';

interface Props {
  form: UseFormReturnType<KeyValues>;
  edited: AccessTokenData | null;
}

/** How long the key works; for a key that exists, also when it expires: a lifetime that is not changed keeps this moment. */
export function LifetimeField({ form, edited }: Props) {
  const { t } = useTranslation('Keys');
  const periods = PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }));
  return (
    <LimitField
      label={t('lifetime')}
      description={edited && <Moment expiresAt={edited.expiresAt} />}
      placeholder={t('forever')}
      beside={
        <Select
          aria-label={t('period')}
          data={periods}
          allowDeselect={false}
          {...form.getInputProps('lifetimePeriod')}
          onChange={(value) => changePeriod(form, value)}
        />
      }
      {...form.getInputProps('lifetime')}
    />
  );
}

/** What is too long in one unit need not be in another. */
function changePeriod(form: Props['form'], value: string | null): void {
  form.setFieldValue('lifetimePeriod', (period) => PERIODS.find((known) => known === value) ?? period);
  form.clearFieldError('lifetime');
}

function Moment({ expiresAt }: { expiresAt: string | null }) {
  const { t, i18n } = useTranslation('Keys');
  const [now] = useState(() => Date.now());
  const expiry = expiryOf(expiresAt, now);
  const moment = expiresAt === null ? '' : formatMoment(expiresAt, i18n.language);
  const said = expiry === 'never' ? t('forever') : t(expiry === 'expired' ? 'expiredOn' : 'expiresOn', { moment });
  return `${said}. ${t('lifetimeHint')}`;
}
