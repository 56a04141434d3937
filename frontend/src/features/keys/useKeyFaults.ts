import type { FormErrors } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { formatNumber } from '@/lib/format/number';

import { MOST_EMAILS, wrongEmails } from './emails';
import { type KeyValues, lifetimeBounds } from './keyValues';
import { type Bounds, COUNT, faultOfNumber, MONEY } from './limitNumbers';
import { useFaultOfOrigins } from './useFaultOfOrigins';

/** After these errors, people may have meant that there is no limit. */
const MEANS_NO_LIMIT = ['whole', 'number', 'least', 'most'];

/** What is wrong with the values of the key form, and what would be right, by the paths of their fields. */
export function useKeyFaults(): (values: KeyValues) => FormErrors {
  const { t, i18n } = useTranslation('Keys');
  const faultOfOrigins = useFaultOfOrigins();
  const said = (text: string, { least, most, decimals }: Bounds, empty: string) => {
    const fault = faultOfNumber(text, { least, most, decimals });
    if (!fault) return null;
    const typed = text.trim();
    const named = t(`numberFault.${fault}`, {
      least,
      most: formatNumber(most, i18n.language),
      decimals,
      typed,
      plain: typed.replace(',', ''),
      point: typed.replace(',', '.'),
    });
    return MEANS_NO_LIMIT.includes(fault) && empty ? `${named} ${empty}` : named;
  };
  const faultOfLimit = (text: string, bounds: Bounds) =>
    text.trim() === '' ? null : said(text, bounds, t('emptyIsNoLimit'));
  const faultOfEmails = (emails: readonly string[]) => {
    const wrong = wrongEmails(emails);
    const faults = [
      ...(emails.length > MOST_EMAILS ? [t('tooManyEmails', { max: MOST_EMAILS, count: emails.length })] : []),
      ...(wrong ? [t('badEmails', { list: wrong })] : []),
    ];
    return faults.join(' ') || null;
  };
  return (values) => ({
    name: values.name.trim() ? null : t('Input:Required'),
    permissions: values.permissions.length > 0 ? null : t('chooseOne'),
    lifetime: faultOfLimit(values.lifetime, lifetimeBounds(values.lifetimePeriod)),
    requestLimit: faultOfLimit(values.requestLimit, COUNT),
    requestSize: faultOfLimit(values.requestSize, COUNT),
    ...Object.fromEntries(
      values.spending.map(({ amount }, row) => [
        `spending.${row}.amount`,
        amount.trim() === '' ? t('noAmount') : said(amount, MONEY, ''),
      ]),
    ),
    expenseLimit: faultOfLimit(values.expenseLimit, MONEY),
    maxPricePerCall: faultOfLimit(values.maxPricePerCall, MONEY),
    emails: faultOfEmails(values.emails),
    origins: faultOfOrigins(values.origins),
  });
}
