import { Badge, Skeleton, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ScalingDecisionData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Said } from '@/components/feedback/Said';
import { When } from '@/components/format/When';
import { Pager } from '@/components/Pager';
import { formatNumber } from '@/lib/format/number';

const POLL_MS = 10_000;
const ON_A_PAGE = 20;
const COLOURS: Partial<Record<ScalingDecisionData['kind'], string>> = { NEED_SCALE_UP: 'red', HELD: 'yellow' };

/** The history of decisions, the newest first, each with the numbers that it was made from. */
export function Decisions(where: { account: string; model: string }) {
  const { t } = useTranslation('Monitoring');
  const { data, error, refetch } = coreApi.useCoreGetScalingDecisionsQuery({ ...where, limit: 1000 }, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const [page, setPage] = useState(1);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  if (data.length === 0) return <Empty title={t('none')}>{t('noneHint')}</Empty>;
  return (
    <>
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label={t('decisions')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('when')}</Table.Th>
              <Table.Th>{t('what')}</Table.Th>
              <Table.Th>{t('instances')}</Table.Th>
              <Table.Th>{t('why')}</Table.Th>
              <Table.Th>{t('numbers')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE).map((decision) => (
              <Row key={decision.id} decision={decision} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager page={page} pages={Math.ceil(data.length / ON_A_PAGE)} onPage={setPage} />
    </>
  );
}

function Row({ decision }: { decision: ScalingDecisionData }) {
  const { t } = useTranslation('Monitoring');
  const { decidedAt, kind, before, after, wanted, reason, detail, minInstances, maxInstances } = decision;
  return (
    <Table.Tr>
      <Table.Td>
        <When at={decidedAt} />
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={COLOURS[kind] ?? 'gray'}>{t(`kind.${kind}`)}</Badge>
      </Table.Td>
      <Table.Td>
        {before} → {after}
        <Text size="xs" c="dimmed">{wanted === null ? t('bounds', { minInstances, maxInstances }) : t('wanted', { wanted, minInstances, maxInstances })}</Text>
      </Table.Td>
      <Table.Td>
        {t(`reason.${reason}`, reason)}
        {detail !== null && <Text size="xs" c="dimmed" component="div"><Said kind="reason" code={detail} message={detail} /></Text>}
      </Table.Td>
      <Table.Td>
        <Numbers {...decision} />
      </Table.Td>
    </Table.Tr>
  );
}

function Numbers({ values, waiting }: ScalingDecisionData) {
  const { t } = useTranslation('Monitoring');
  const rows = [...Object.entries(values), ...(waiting ? [['waiting', waiting] as const] : [])];
  return (
    <Text size="xs" component="span">
      {rows.length === 0 ? '–' : rows.map(([name, value]) => `${t(`reason.${name}`, name)}: ${formatNumber(value)}`).join('; ')}
    </Text>
  );
}
