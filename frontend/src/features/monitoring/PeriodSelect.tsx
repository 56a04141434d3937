import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { nameOf, type Period, PERIODS, periodOf } from './periods';

/** The period in the address. */
export function usePeriod(): Period {
  const [search] = useSearchParams();
  return periodOf(search.get('minutes'));
}

/** Chooses how far back the charts go; the address keeps it. */
export function PeriodSelect() {
  const { t, i18n } = useTranslation('Monitoring');
  const [, setSearch] = useSearchParams();
  const choose = (minutes: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (minutes) after.set('minutes', minutes);
        return after;
      },
      { replace: true },
    );
  return (
    <Select
      w={160}
      aria-label={t('period')}
      allowDeselect={false}
      data={PERIODS.map((one) => ({ value: String(one.minutes), label: nameOf(one, i18n.language) }))}
      value={String(usePeriod().minutes)}
      onChange={choose}
    />
  );
}
