import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { StatLogData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { formatNumber } from '@/lib/format/number';
import { cores, mebibytes } from '@/lib/format/resources';

import { pollingOf } from '../periods';
import { usePeriod } from '../PeriodSelect';

import { ON_A_PAGE, PagedLog } from './PagedLog';

/** What servers have, as entries of the log name it. */
const AMOUNTS = [
  ['milliCpu', 'cores', cores],
  ['ramMb', 'memory', mebibytes],
  ['diskMb', 'disk', mebibytes],
  ['gpu', 'gpus', formatNumber],
  ['vramMb', 'vram', mebibytes],
] as const;

/** Changes of what the servers of a group have, the newest first. */
export function Changes({ node, ...where }: { account: string; groupName: string; node: string | null }) {
  const { t } = useTranslation('Monitoring');
  const period = usePeriod();
  const [page, setPage] = useState(0);
  const query = coreApi.useCoreGetResourceGroupCapacityLogsPageQuery(
    { ...where, ...(node && { serverName: node }), minutes: period.minutes, page, size: ON_A_PAGE },
    { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true },
  );
  const columns = useColumns();
  return (
    <PagedLog query={query} onPage={setPage}>
      {(entries) => (
        <List
          label={t('view.changes')}
          query={query}
          rows={entries}
          columns={columns}
          rowKey={({ recordId }) => String(recordId)}
          rowName={(entry) => entry.node ?? ''}
          empty={{ title: t('noEntries'), hint: t('noEntriesHint') }}
        />
      )}
    </PagedLog>
  );
}

function useColumns(): Column<StatLogData>[] {
  const { t } = useTranslation('Monitoring');
  return [
    { name: 'when', label: t('when'), width: 150, cell: ({ timestamp }) => <When at={timestamp} /> },
    { name: 'node', label: t('node'), cell: ({ node }) => node },
    ...AMOUNTS.map(([name, title, format]): Column<StatLogData> => ({
      name,
      label: t(title),
      cell: (entry) => (
        <Text span inherit ff="monospace">
          {changeOf(entry, name, format)}
        </Text>
      ),
    })),
  ];
}

/** `4 → 8`; what stayed is said once. The first entry of a server has nothing before it. */
function changeOf({ args }: StatLogData, name: string, format: (value: number) => string): string {
  const [before, after] = [amountIn(args['before'], name), amountIn(args['after'], name)];
  if (after === null) return '–';
  return before === null || before === after ? format(after) : `${format(before)} → ${format(after)}`;
}

function amountIn(amounts: unknown, name: string): number | null {
  const value: unknown = amounts && typeof amounts === 'object' ? (amounts as Record<string, unknown>)[name] : null;
  return typeof value === 'number' ? value : null;
}
