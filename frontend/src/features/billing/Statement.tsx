import { ActionIcon, Group, SegmentedControl, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi } from '@/api';
import type { ReportPeriod } from '@/api/generated/billing.gen';
import { ProblemView } from '@/components/feedback/ProblemView';

import { AmountTable } from './AmountTable';
import { moved, nameOfPeriod } from './periods';
import { byHosting, byModel, byPayer, bySpending, type Lines } from './lines';

const PERIODS: ReportPeriod[] = ['HOUR', 'DAY', 'MONTH', 'YEAR'];
const VIEWS = { spending: ['services', 'hosting'], income: ['services', 'hosting', 'models', 'payers'] } as const;
export type Direction = keyof typeof VIEWS;
type View = (typeof VIEWS)['income'][number];

/** Expenses or income in a period: by service, by hosting, and for owners by payer. */
export function Statement({ accountId, direction }: { accountId: number; direction: Direction }) {
  const { t, i18n } = useTranslation('Balance');
  const [period, setPeriod] = useState<ReportPeriod>('MONTH');
  const [today] = useState(() => new Date());
  const [moment, setMoment] = useState(today);
  const [view, setView] = useState<View>('services');
  const future = moved(moment, period, 1) > today;
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t(direction)}</Title>
        <Group gap="xs">
          <ActionIcon variant="subtle" color="gray" aria-label={t('earlier')} onClick={() => setMoment((now) => moved(now, period, -1))}>
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <Text size="sm" ff="monospace" miw={90} ta="center">
            {nameOfPeriod(moment, period, i18n.language)}
          </Text>
          <ActionIcon variant="subtle" color="gray" aria-label={t('later')} disabled={future} onClick={() => setMoment((now) => moved(now, period, 1))}>
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
          <SegmentedControl size="xs" aria-label={t('period')} value={period} onChange={setPeriod} data={PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }))} />
        </Group>
      </Group>
      <Tabs value={view} onChange={(value) => setView(VIEWS[direction].find((known) => known === value) ?? 'services')}>
        <Tabs.List aria-label={t(direction)}>
          {VIEWS[direction].map((value) => (
            <Tabs.Tab key={value} value={value}>
              {t(`view.${value}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <Rows view={view} direction={direction} arg={{ accountId, period, date: moment.toISOString() }} />
    </Stack>
  );
}

interface Asked {
  accountId: number;
  period: ReportPeriod;
  date: string;
}

function Rows({ view, direction, arg }: { view: View; direction: Direction; arg: Asked }) {
  const { lines, error, refetch } = useLines(view, direction, arg);
  const problem = asProblem(error);
  if (problem && !lines) return <ProblemView problem={problem} again={() => void refetch()} />;
  return lines ? <AmountTable lines={lines} /> : <Skeleton h={160} />;
}

/** Runs one of six queries; the others are skipped. */
function useLines(view: View, direction: Direction, arg: Asked): { lines: Lines | undefined; error?: Parameters<typeof asProblem>[0]; refetch: () => unknown } {
  const unless = (own: View, where: Direction) => ({ skip: view !== own || direction !== where });
  const spent = billingApi.useBillingGetSpendingDetailsQuery(arg, unless('services', 'spending'));
  const earned = billingApi.useBillingGetIncomeDetailsQuery(arg, unless('services', 'income'));
  const rented = billingApi.useBillingGetHostingSpendingDetailsQuery(arg, unless('hosting', 'spending'));
  const leased = billingApi.useBillingGetHostingIncomeDetailsQuery(arg, unless('hosting', 'income'));
  const models = billingApi.useBillingGetIncomeByModelQuery(arg, unless('models', 'income'));
  const payers = billingApi.useBillingGetIncomeByPayerQuery(arg, unless('payers', 'income'));
  switch (view) {
    case 'services': {
      const asked = direction === 'spending' ? spent : earned;
      return { ...asked, lines: asked.currentData && bySpending(asked.currentData) };
    }
    case 'hosting': {
      const asked = direction === 'spending' ? rented : leased;
      return { ...asked, lines: asked.currentData && byHosting(asked.currentData) };
    }
    case 'models':
      return { ...models, lines: models.currentData && byModel(models.currentData) };
    case 'payers':
      return { ...payers, lines: payers.currentData && byPayer(payers.currentData) };
  }
}
