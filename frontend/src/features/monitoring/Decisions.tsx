import { Badge, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ScalingDecisionData } from '@/api/generated/core.gen';
import { Said } from '@/components/feedback/Said';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { Pager } from '@/components/Pager';
import { formatNumber } from '@/lib/format/number';

const POLL_MS = 10_000;
const ON_A_PAGE = 20;
const COLOURS: Partial<Record<ScalingDecisionData['kind'], string>> = { NEED_SCALE_UP: 'red', HELD: 'yellow' };

/** The history of decisions, the newest first, each with the numbers that it was made from. */
export function Decisions(where: { account: string; model: string }) {
  const { t } = useTranslation('Monitoring');
  const query = coreApi.useCoreGetScalingDecisionsQuery(
    { ...where, limit: 1000 },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  const [page, setPage] = useState(1);
  const { data } = query;
  return (
    <Stack gap="md">
      <List
        label={t('decisions')}
        query={query}
        rows={data?.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE)}
        columns={useColumns()}
        rowKey={({ id }) => String(id)}
        rowName={({ kind }) => t(`kind.${kind}`)}
        empty={{ title: t('none'), hint: t('noneHint') }}
      />
      <Pager page={page} pages={Math.ceil((data?.length ?? 0) / ON_A_PAGE)} onPage={setPage} />
    </Stack>
  );
}

function useColumns(): Column<ScalingDecisionData>[] {
  const { t } = useTranslation('Monitoring');
  return [
    { name: 'when', label: t('when'), width: 150, cell: ({ decidedAt }) => <When at={decidedAt} /> },
    {
      name: 'what',
      label: t('what'),
      width: 190,
      cell: ({ kind }) => (
        <Badge variant="light" color={COLOURS[kind] ?? 'gray'} maw="100%">
          {t(`kind.${kind}`)}
        </Badge>
      ),
    },
    { name: 'instances', label: t('instances'), cell: (decision) => <Instances {...decision} /> },
    { name: 'why', label: t('why'), cell: (decision) => <Why {...decision} /> },
    { name: 'numbers', label: t('numbers'), cell: (decision) => <Numbers {...decision} /> },
  ];
}

function Instances({ before, after, wanted, minInstances, maxInstances }: ScalingDecisionData) {
  const { t } = useTranslation('Monitoring');
  return (
    <>
      {before} → {after}
      <Text size="xs" c="dimmed">
        {wanted === null
          ? t('bounds', { minInstances, maxInstances })
          : t('wanted', { wanted, minInstances, maxInstances })}
      </Text>
    </>
  );
}

function Why({ reason, detail }: ScalingDecisionData) {
  const { t } = useTranslation('Monitoring');
  return (
    <>
      {t(`reason.${reason}`, reason)}
      {detail !== null && (
        <Text size="xs" c="dimmed" component="div">
          <Said kind="reason" code={detail} message={detail} />
        </Text>
      )}
    </>
  );
}

function Numbers({ values, waiting }: ScalingDecisionData) {
  const { t } = useTranslation('Monitoring');
  const rows = [...Object.entries(values), ...(waiting ? [['waiting', waiting] as const] : [])];
  return (
    <Text size="xs" component="span">
      {rows.length === 0
        ? '–'
        : rows.map(([name, value]) => `${t(`reason.${name}`, name)}: ${formatNumber(value)}`).join('; ')}
    </Text>
  );
}
