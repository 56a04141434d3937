import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { InstanceEvents } from '@/components/events/InstanceEvents';
import { ProblemView } from '@/components/feedback/ProblemView';

import { ChoiceSelect } from './ChoiceSelect';
import { Decisions } from './Decisions';
import { InstanceMonitoring } from './InstanceMonitoring';
import { METRICS, ModelCharts } from './ModelCharts';
import { pollingOf } from './periods';
import { PeriodSelect, usePeriod } from './PeriodSelect';
import { ScalingNow } from './ScalingNow';

const POLL = { pollingInterval: 15_000, skipPollingIfUnfocused: true };

/** What a service or one of its instances does and uses, over time, and what autoscaling decided. */
export function Monitoring({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Monitoring');
  const [search] = useSearchParams();
  const where = { account, model: model.modelName };
  const { data } = coreApi.useCoreGetInstancesQuery(where, POLL);
  const instanceId = Number(search.get('instance')) || null;
  const automatic = model.hostingType === 'AUTOMATIC';
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        {automatic ? <ScalingNow {...where} /> : <span />}
        <Group gap="xs">
          <ChoiceSelect
            name="instance"
            label={t('instance')}
            all={t('allInstances')}
            options={(data?.instances ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <PeriodSelect />
        </Group>
      </Group>
      {instanceId === null ? (
        <WholeService {...where} model={model} automatic={automatic} />
      ) : (
        <OneInstance {...where} instanceId={instanceId} />
      )}
    </Stack>
  );
}

function WholeService({ account, model, automatic }: { account: string; model: ModelInfoData; automatic: boolean }) {
  const { t } = useTranslation('Monitoring');
  const period = usePeriod();
  const where = { account, model: model.modelName };
  const polling = { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true };
  const { currentData, error, refetch } = coreApi.useCoreGetModelMetricRangeQuery(
    { ...where, metrics: [...METRICS], minutes: period.minutes, stepSeconds: period.step },
    polling,
  );
  const { data: decisions } = coreApi.useCoreGetScalingDecisionsQuery(
    { ...where, minutes: Math.min(period.minutes, MOST_MINUTES), limit: MOST_DECISIONS },
    { ...polling, skip: !automatic },
  );
  const { data: since } = coreApi.useCoreGetEarliestTimestampOfModelMetricQuery({
    ...where,
    metric: 'MODEL_INSTANCES_COUNT',
  });
  const problem = asProblem(error);
  return (
    <>
      {problem && !currentData ? (
        <ProblemView problem={problem} again={() => void refetch()} />
      ) : (
        <ModelCharts
          measured={currentData}
          period={period}
          scaling={automatic ? model.autoScalingConfiguration : null}
          decisions={decisions ?? []}
          since={since ?? null}
        />
      )}
      {automatic && (
        <Stack gap="sm" component="section">
          <Title order={2}>{t('decisions')}</Title>
          <Text c="dimmed" size="sm">
            {t('decisionsHint')}
          </Text>
          <Decisions {...where} />
        </Stack>
      )}
    </>
  );
}

function OneInstance(which: { account: string; model: string; instanceId: number }) {
  const { t } = useTranslation('Monitoring');
  return (
    <>
      <InstanceMonitoring {...which} chosen />
      <Stack gap="sm" component="section">
        <Title order={2}>{t('instanceEvents')}</Title>
        <InstanceEvents {...which} />
      </Stack>
    </>
  );
}

/** Decisions are kept for 90 days. */
const MOST_MINUTES = 129_600;
const MOST_DECISIONS = 500;
