import { Button, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { InstancesStatusData, ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { StateDot } from '@/components/StateDot';
import { useProblemToast } from '@/components/feedback/useProblemToast';

import { AddExternal } from './AddExternal';
import { CacheState } from './CacheState';
import { ConnectionGuide } from './ConnectionGuide';
import { InstanceTable } from './InstanceTable';
import type { Where } from './where';

const POLL_MS = 3000;
const POLL = { pollingInterval: POLL_MS, skipPollingIfUnfocused: true };

/** The instances of a service, and controls to start and stop them. For its owner. */
export function Diagnostics({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Diagnostics');
  const where = { account, model: model.modelName };
  const { data, error, refetch } = coreApi.useCoreGetInstancesQuery(where, POLL);
  const problem = asProblem(error);
  const external = model.hostingType === 'EXTERNAL';
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <Strip where={where} external={external} />
        {external ? <AddExternal {...where} /> : <Wanted {...where} />}
      </Group>
      <Stack gap="sm" component="section">
        <Title order={2}>{t('instances')}</Title>
        {problem && !data ? <ProblemView problem={problem} again={() => void refetch()} /> : <InstanceTable {...where} instances={data?.instances ?? null} />}
      </Stack>
      {external && <ConnectionGuide {...where} />}
      {model.caching.enabled && <CacheState {...where} />}
    </Stack>
  );
}

/** The state in one line: activity, connected instances, wanted instances. */
function Strip({ where, external }: { where: Where; external: boolean }) {
  const { t } = useTranslation('Diagnostics');
  const { data } = coreApi.useCoreGetModelStatusQuery(where, POLL);
  const counts = countsOf(data?.instances, external);
  return (
    <Group gap="xl">
      <Figure name={t('column.state')}>
        <StateDot state={data?.state ?? 'INACTIVE'} />
      </Figure>
      {counts.active !== null && <Figure name={t('active')}>{`${counts.active} / ${counts.wanted}`}</Figure>}
      {counts.active === null && <Figure name={t('requested')}>{String(counts.wanted)}</Figure>}
      {counts.failing > 0 && <Figure name={t('failing')}>{String(counts.failing)}</Figure>}
    </Group>
  );
}

/** For external instances only the wanted number is known here; the table shows which are connected. */
export function countsOf(status: InstancesStatusData | undefined, external: boolean): { active: number | null; wanted: number; failing: number } {
  if (external) return { active: null, wanted: status?.externalRequested ?? 0, failing: 0 };
  return {
    active: (status?.hostingServerActive ?? 0) + (status?.internalActive ?? 0),
    wanted: (status?.hostingServerRequested ?? 0) + (status?.internalRequested ?? 0),
    failing: status?.internalInError ?? 0,
  };
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="div" fw={600} ff="monospace">
        {children}
      </Text>
    </div>
  );
}

/** The number of instances that the platform should run. */
function Wanted(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const { data } = coreApi.useCoreGetInstancesStatusQuery(where, POLL);
  const [change, { isLoading }] = coreApi.useCoreSetInstancesCountMutation();
  const refused = useProblemToast();
  const [typed, setTyped] = useState<number | null>(null);
  const stored = (data?.hostingServerRequested ?? 0) + (data?.internalRequested ?? 0);
  const wanted = typed ?? stored;
  const save = async (body: number) => {
    const { error } = await change({ ...where, body });
    if (!refused(t('failed'), error)) setTyped(null);
  };
  return (
    <Group align="flex-end" gap="xs">
      <NumberInput label={t('wanted')} min={0} max={1000} clampBehavior="strict" allowDecimal={false} w={110} value={wanted} onChange={(value) => setTyped(Number(value) || 0)} />
      <Button variant="default" loading={isLoading} disabled={wanted === stored} onClick={() => void save(wanted)}>
        {t('apply')}
      </Button>
      {stored === 0 ? (
        <Button loading={isLoading} onClick={() => void save(1)}>
          {t('start')}
        </Button>
      ) : (
        <Button variant="default" loading={isLoading} onClick={() => void save(0)}>
          {t('stopAll')}
        </Button>
      )}
    </Group>
  );
}
