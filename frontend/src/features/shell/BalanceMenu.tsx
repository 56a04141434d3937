import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { billingApi } from '@/api';
import { useSession, useSettings } from '@/lib/session';
import { formatAmount, formatRubles } from '@/lib/money';
import { formatMoment } from '@/lib/time';

export const BALANCE_POLL_MS = 5000;

export function BalanceMenu({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Balance');
  const session = useSession();
  const { data: settings } = useSettings();
  const skip = !settings?.isBillingEnabled;
  const { data } = billingApi.useBillingGetShortBalanceQuery(
    { accountId },
    { skip, pollingInterval: BALANCE_POLL_MS, skipPollingIfUnfocused: true },
  );
  if (skip || !data) return null;
  const unit = settings.currencyType === 'TOKEN' ? t('tokens') : '₽';
  const sells = session.state === 'signed-in' && session.has('mlp.public_model_admin');
  return (
    <Popover position="bottom-end" width={260} shadow="md" withArrow>
      <Popover.Target>
        <Button size="xs" variant="subtle" color="gray" aria-label={t('title')} data-testid="balance" ff="monospace">
          {formatAmount(data.overallBalanceCurrency)} {unit}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Line name={t('overall')} value={`${formatAmount(data.overallBalanceCurrency)} ${unit}`} />
          {sells && <Line name={t('income')} value={formatRubles(data.incomeBalanceCurrency)} />}
          {data.nextRefillDate && <Line name={t('nextRefill')} value={formatMoment(data.nextRefillDate)} />}
          <Button component={Link} to="/workspace/billing" size="xs" variant="default">
            {t('details')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" ff="monospace">
        {value}
      </Text>
    </Group>
  );
}
