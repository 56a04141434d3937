import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { formatAmount, formatPrice } from '@/lib/format/money';
import { formatShort, isShortened } from '@/lib/format/number';
import { useSettings } from '@/lib/session';

type Currency = 'TOKEN' | 'RUBLE';

interface Props {
  /** Amounts of the API are numbers or decimal texts. */
  amount: number | string;
  /** That of the installation, unless given. */
  currency?: Currency | undefined;
  /** Keeps digits below a hundredth. */
  price?: boolean;
  /** Three digits from ten thousand on; then the exact amount is shown on hover. */
  short?: boolean;
}

/** An amount with its unit, in figures of equal width. */
export function Money({ amount, currency, price = false, short = false }: Props) {
  const { t, i18n } = useTranslation('Money');
  const { data: settings } = useSettings();
  const value = Number(amount);
  const unit = currency ?? settings?.currencyType ?? 'RUBLE';
  const exact = t(unit, { count: value, shown: (price ? formatPrice : formatAmount)(value, i18n.language) });
  const shortened = short && isShortened(value);
  return (
    <Text
      span
      inherit
      ff="monospace"
      style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
      title={shortened ? exact : undefined}
    >
      {shortened ? t(unit, { count: value, shown: formatShort(value, i18n.language) }) : exact}
    </Text>
  );
}
