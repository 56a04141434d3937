import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData, ModelRecentCallsData } from '@/api/generated/core.gen';
import { Sparkline } from '@/components/charts/Sparkline';
import { Money } from '@/components/format/Money';
import { When } from '@/components/format/When';
import { formatNumber } from '@/lib/format/number';
import { useSettings } from '@/lib/session';

const shown = (value: number | undefined) => (value === undefined ? '–' : formatNumber(value));

interface Props {
  model: Pick<ModelInfoData, 'instanceCounts' | 'lastActivity'>;
  /** Undefined while loading: the place is kept. */
  recent: ModelRecentCallsData | undefined;
}

/** What the owner wants to know of a service: its instances, and the calls of the last 24 hours. */
export function OwnerFacts({ model: { instanceCounts, lastActivity }, recent }: Props) {
  const { t } = useTranslation('Owned');
  const { data: settings } = useSettings();
  return (
    <Stack gap={6} component="section" aria-label={t('title')}>
      <Sparkline label={t('line', { shown: shown(recent?.calls) })} values={recent?.callsPerHour} />
      {/* Fixed columns: in a row the facts would change places when their values arrive. */}
      <SimpleGrid component="dl" cols={2} spacing={16} verticalSpacing={4} m={0}>
        {instanceCounts && (
          <Fact name={t('instances')}>{`${instanceCounts.connected} / ${instanceCounts.expected}`}</Fact>
        )}
        <Fact name={t('calls')}>{shown(recent?.calls)}</Fact>
        <Fact name={t('errors')} bad={(recent?.failedCalls ?? 0) > 0}>
          {shown(recent?.failedCalls)}
        </Fact>
        {settings?.isBillingEnabled !== false && (
          <Fact name={t('income')}>{recent ? <Money amount={recent.amount} price short /> : '–'}</Fact>
        )}
        <Fact name={t('last')} wide>
          {lastActivity === null ? t('never') : <When at={lastActivity} />}
        </Fact>
      </SimpleGrid>
    </Stack>
  );
}

function Fact({
  name,
  bad = false,
  wide = false,
  children,
}: {
  name: string;
  bad?: boolean;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <Group gap={6} wrap="nowrap" style={wide ? { gridColumn: '1 / -1' } : undefined}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} size="xs" fw={500} c={bad ? 'var(--mantine-color-red-text)' : undefined}>
        {children}
      </Text>
    </Group>
  );
}
