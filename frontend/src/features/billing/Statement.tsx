import { Button, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi, coreApi } from '@/api';
import type { Statement as StatementData } from '@/api/generated/billing.gen';
import { DayBars } from '@/components/charts/DayBars';
import { ProblemView } from '@/components/feedback/ProblemView';
import { keyId } from '@/features/keys/useKeys';

import { ALL, readBehind } from './behind';
import { BalanceRows } from './BalanceRows';
import { csvOf, save } from './csv';
import { Entries } from './Entries';
import { decimalsOf, formatExact } from './exact';
import { byDay, chartOf, namesOf, type Texts } from './items';
import { type Period, readPeriod, useParams } from './period';
import { PeriodControl } from './PeriodControl';
import { DayTable, ItemTable } from './StatementTables';

const HEIGHT = 240;

interface Props {
  accountId: number;
  /** The account also has income. */
  earns: boolean;
}

/** Spending or income in a period: a chart, a table that adds up to it, the balance's change, and what is behind each number. */
export function Statement({ accountId, earns }: Props) {
  const { t } = useTranslation('Billing');
  const [params, change] = useParams();
  const [now] = useState(() => new Date());
  const period = readPeriod(params, now);
  const direction = earns && params.get('direction') === 'income' ? 'INCOME' : 'SPENDING';
  const split = params.get('split') === 'payer' ? 'PAYER' : 'SERVICE';
  const asked = { accountId, direction, split, first: period.first, last: period.last } as const;
  const { currentData, data, error, isFetching, refetch } = billingApi.useBillingGetStatementQuery(asked, {
    refetchOnMountOrArgChange: true,
  });
  const problem = asProblem(error);
  // The former period's figures stay while those of another one load.
  const shown = problem ? currentData : data;
  return (
    <Stack gap="md" component="section" aria-label={t(direction)}>
      <Group justify="space-between">
        {earns ? (
          <SegmentedControl
            aria-label={t('direction')}
            value={direction}
            onChange={(value) => change({ direction: value === 'INCOME' ? 'income' : null })}
            data={(['SPENDING', 'INCOME'] as const).map((value) => ({ value, label: t(value) }))}
          />
        ) : (
          <Title order={2}>{t(direction)}</Title>
        )}
        <PeriodControl period={period} now={now} onChange={change} />
      </Group>
      {problem && !shown ? (
        <ProblemView problem={problem} again={() => void refetch()} />
      ) : (
        <Loaded
          accountId={accountId}
          statement={shown}
          stale={isFetching && !currentData}
          split={split}
          direction={direction}
          period={period}
        />
      )}
    </Stack>
  );
}

interface LoadedProps {
  accountId: number;
  statement: StatementData | undefined;
  stale: boolean;
  direction: 'SPENDING' | 'INCOME';
  split: 'SERVICE' | 'PAYER';
  period: Period;
}

function Loaded({ accountId, statement, stale, direction, split, period }: LoadedProps) {
  const { t, i18n } = useTranslation('Billing');
  const [params, change] = useParams();
  const rows = params.get('rows') === 'days' ? 'days' : 'items';
  const behind = readBehind(params.get('behind'));
  const texts = useTexts(accountId, direction === 'SPENDING' && (split === 'PAYER' || behind !== null));
  const open = (what: string, day: string | null = null) => change({ behind: what, day });
  if (!statement) {
    return (
      <>
        <DayBars title={t('byDay')} times={undefined} series={[]} height={HEIGHT} />
        <Skeleton h={200} />
      </>
    );
  }
  const names = namesOf(statement, texts);
  const decimals = decimalsOf([...statement.items, ...statement.days].map(({ amount }) => amount));
  const chart = chartOf(statement, names, texts.rest, decimals, i18n.language);
  const file = () =>
    save(
      `${direction.toLowerCase()}-${statement.first}-${statement.last}.csv`,
      csvOf(
        statement,
        names,
        (['day', 'name', 'kind', 'calls', 'amount'] as const).map((column) => t(column)),
        i18n.language,
      ),
    );
  return (
    <Stack gap="lg" opacity={stale ? 0.5 : 1} aria-busy={stale}>
      <DayBars
        title={t('byDay')}
        {...chart}
        height={HEIGHT}
        timeZone="UTC"
        empty={
          <>
            <Text fw={600}>{t('nothing')}</Text>
            <Text size="sm" c="dimmed">
              {t('nothingHint')}
            </Text>
          </>
        }
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('split')}
            value={split}
            onChange={(value) => change({ split: value === 'PAYER' ? 'payer' : null })}
            data={[
              { value: 'SERVICE', label: t('splits.SERVICE') },
              { value: 'PAYER', label: t(`splits.${direction}`) },
            ]}
          />
        }
      />
      {statement.items.length > 0 && (
        <Stack gap="xs">
          <Group justify="space-between">
            <SegmentedControl
              size="xs"
              aria-label={t('rows')}
              value={rows}
              onChange={(value) => change({ rows: value === 'days' ? 'days' : null })}
              data={[
                { value: 'items', label: t(split === 'PAYER' ? `splits.${direction}` : 'splits.SERVICE') },
                { value: 'days', label: t('days') },
              ]}
            />
            <Button variant="default" size="xs" leftSection={<IconDownload size={16} aria-hidden />} onClick={file}>
              {t('csv')}
            </Button>
          </Group>
          {rows === 'items' ? (
            <ItemTable items={statement.items} names={names} decimals={decimals} onOpen={open} />
          ) : (
            <DayTable days={byDay(statement)} decimals={decimals} onOpen={(day) => open(ALL, day)} />
          )}
          <Text size="sm" fw={600} ta="right" ff="monospace">
            {t('totalOf', { amount: formatExact(statement.total, decimals, i18n.language) })}
          </Text>
        </Stack>
      )}
      <BalanceRows
        change={statement.balanceChange}
        direction={direction}
        first={statement.first}
        last={statement.last}
      />
      <Text size="xs" c="dimmed">
        {t('utc')}
      </Text>
      {behind && (
        <Entries
          accountId={accountId}
          direction={direction}
          behind={behind}
          first={params.get('day') ?? period.first}
          last={params.get('day') ?? period.last}
          keyName={texts.key}
          onClose={() => change({})}
        />
      )}
    </Stack>
  );
}

/** Texts of items that have no name of their own. Names of keys are known to the service of keys. */
function useTexts(accountId: number, withKeys: boolean): Texts {
  const { t } = useTranslation('Billing');
  const { data: keys } = coreApi.useCoreListAccessTokensQuery({ account: String(accountId) }, { skip: !withKeys });
  return {
    noKey: t('noKey'),
    hosting: t('hosting'),
    rest: t('rest'),
    key: (id) => keys?.find(({ token }) => keyId(token) === id)?.name ?? t('key', { id }),
  };
}
