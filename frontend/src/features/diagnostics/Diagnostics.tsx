import { Button, Group, NumberInput, Stack, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useRefusal } from '@/components/feedback/useRefusal';

import { AddExternal } from './AddExternal';
import { CacheState } from './CacheState';
import { ConnectionGuide } from './ConnectionGuide';
import { InstanceTable } from './InstanceTable';
import { Strip } from './Strip';
import { useInStep } from './useInStep';
import type { Where } from './where';

const POLL_MS = 3000;
const POLL = { pollingInterval: POLL_MS, skipPollingIfUnfocused: true };

/** The instances of a service, and controls to start and stop them. For its owner. */
export function Diagnostics({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Diagnostics');
  const where = { account, model: model.modelName };
  const query = coreApi.useCoreGetInstancesQuery(where, POLL);
  const { data: status } = coreApi.useCoreGetModelStatusQuery(where, POLL);
  const instances = query.data?.instances;
  const running = useMemo(
    () =>
      instances &&
      new Set(instances.filter(({ statusInfo }) => statusInfo.totalStatus === 'RUNNING').map(({ id }) => id)),
    [instances],
  );
  useInStep(status, instances);
  const external = model.hostingType === 'EXTERNAL';
  return (
    <Stack gap="lg">
      <Strip where={where} external={external} lastCall={model.lastActivity} />
      <Stack gap="sm" component="section">
        <Group justify="space-between" align="flex-end">
          <Title order={2}>{t('instances')}</Title>
          {external ? <AddExternal {...where} /> : !model.prototype && <Wanted {...where} />}
        </Group>
        <InstanceTable where={where} query={query} />
      </Stack>
      {external && <ConnectionGuide {...where} running={running} />}
      {model.caching.enabled && <CacheState {...where} />}
    </Stack>
  );
}

/** The number of instances that the platform should run. */
function Wanted(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const { data } = coreApi.useCoreGetInstancesStatusQuery(where, POLL);
  const [change, { isLoading }] = coreApi.useCoreSetInstancesCountMutation();
  const refusal = useRefusal();
  const [typed, setTyped] = useState<number | null>(null);
  const stored = (data?.hostingServerRequested ?? 0) + (data?.internalRequested ?? 0);
  const wanted = typed ?? stored;
  const save = async (body: number) => {
    refusal.clear();
    const { error } = await change({ ...where, body });
    if (!refusal.show(error)) setTyped(null);
  };
  return (
    <Stack gap="xs" align="flex-end">
      <FormBanner refusal={refusal} />
      <Group align="flex-end" gap="xs">
        <NumberInput
          label={t('wanted')}
          min={0}
          max={1000}
          clampBehavior="strict"
          allowDecimal={false}
          w={110}
          value={wanted}
          onChange={(value) => setTyped(Number(value) || 0)}
        />
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
    </Stack>
  );
}
