import { Anchor, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { Sparkline } from '@/components/charts/Sparkline';
import { Money } from '@/components/format/Money';
import { Link } from '@/components/Link';
import { useSettings } from '@/lib/session';

import { byDay } from './items';
import { readPeriod } from './period';

/** What the account spent in the last 30 days, by day, with the way to the whole statement. Nothing where calls are free. */
export function RecentSpending({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Billing');
  const { data: settings } = useSettings();
  const [period] = useState(() => readPeriod(new URLSearchParams(), new Date()));
  // Its place is kept until it is known whether there is billing: the settings are asked for first of all.
  const off = settings?.isBillingEnabled === false;
  const { data, isError } = billingApi.useBillingGetStatementQuery(
    { accountId, first: period.first, last: period.last },
    { skip: !settings || off },
  );
  if (off || isError) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('recent')}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          {t('recent')}
        </Text>
        <Anchor component={Link} to="/workspace/billing" size="sm">
          {t('toStatement')}
        </Anchor>
      </Group>
      <Text size="xl" fw={600} mih={30}>
        {data && <Money amount={data.total} />}
      </Text>
      <Sparkline
        label={t('recentByDay')}
        values={data && byDay(data).map(({ amount }) => Number(amount))}
        height={40}
      />
    </Paper>
  );
}
