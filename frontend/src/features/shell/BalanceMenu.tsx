import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Link } from '@/components/Link';
import { sells, useAmounts, useShortBalance } from '@/features/billing/balances';
import { flooredToDigits, formatAmount } from '@/lib/format/money';
import { formatShort } from '@/lib/format/number';
import { useModal } from '@/lib/modals';
import { type SignedIn, useSettings } from '@/lib/session';
import { formatMoment } from '@/lib/format/time';

/** Characters that the header of a phone has room for. */
const MOST = 12;

interface Props {
  session: SignedIn;
  accountId: number;
  narrow: boolean;
}

export function BalanceMenu({ session, accountId, narrow }: Props) {
  const { t, i18n } = useTranslation('Balance');
  const { data: settings } = useSettings();
  const [opened, setOpened] = useState(false);
  const { open } = useModal();
  const amounts = useAmounts();
  const off = !settings?.isBillingEnabled;
  const { data } = useShortBalance(accountId, off);
  if (off || !data) return null;
  const overall = amounts.balance(data.overallBalanceCurrency);
  const shown =
    narrow && overall.length > MOST
      ? `${formatShort(flooredToDigits(data.overallBalanceCurrency), i18n.language)} ${amounts.unit}`
      : overall;
  const refill = () => {
    setOpened(false);
    open('refill');
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={280}
      shadow="md"
      hideDetached={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          flex="none"
          aria-label={t('now', { amount: overall })}
          data-testid="balance"
          ff="monospace"
          onClick={() => setOpened((now) => !now)}
        >
          {shown}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Line name={t('overall')} value={overall} />
          {sells(session) && <Line name={t('income')} value={amounts.income(data.incomeBalanceCurrency)} />}
          {data.jaicpTariffBalanceCurrency !== null && (
            <Line name={t('tariff')} value={amounts.balance(data.jaicpTariffBalanceCurrency)} />
          )}
          {data.nextRefillDate && (
            <Line
              name={t('nextRefill')}
              value={`${data.nextRefillCurrency === null ? '' : `${formatAmount(data.nextRefillCurrency)} · `}${formatMoment(data.nextRefillDate)}`}
            />
          )}
          <Group grow gap="xs" mt={4}>
            <Button
              component={Link}
              to="/workspace/billing"
              size="xs"
              variant="default"
              onClick={() => setOpened(false)}
            >
              {t('details')}
            </Button>
            <Button size="xs" onClick={refill}>
              {t('refill')}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" ff="monospace" ta="right">
        {value}
      </Text>
    </Group>
  );
}
