import { Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { formatAmount } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { writtenRange } from '@/lib/format/time';

const POLL = { pollingInterval: 60_000, skipPollingIfUnfocused: true };
const YEAR = 365;

/** How long the balance lasts at the pace of the last days; nothing where nobody can know it. Keeps its line. */
export function Forecast({ accountId, unit }: { accountId: number; unit: string }) {
  const { t, i18n } = useTranslation('Billing');
  const { data } = billingApi.useBillingGetBalanceForecastQuery({ accountId }, POLL);
  const days = data?.enoughForDays ?? null;
  if (!data || days === null)
    return (
      <Text size="sm" h={22} aria-hidden>
        {'\u00a0'}
      </Text>
    );
  const format = new Intl.DateTimeFormat(i18n.language, { day: 'numeric', month: 'long' });
  const amount = (text: string) => `${formatAmount(Number(text), i18n.language)} ${unit}`;
  const reason = t('pace', {
    days: writtenRange(format, data.since, data.until),
    calls: amount(data.calls),
    hosting: amount(data.hosting),
    perDay: amount(data.perDay),
  });
  return (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Text
        component="button"
        type="button"
        size="sm"
        c="dimmed"
        mih={22}
        w="fit-content"
        p={0}
        bg="transparent"
        bd={0}
        ta="left"
        td="underline dotted"
        style={{ cursor: 'help', font: 'inherit' }}
      >
        {days > YEAR
          ? t('enoughForYear')
          : days === 0
            ? t('enoughForToday')
            : t('enoughFor', { count: days, shown: formatNumber(days, i18n.language) })}
      </Text>
    </Tooltip>
  );
}
