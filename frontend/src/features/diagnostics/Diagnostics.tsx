import { Button, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/ProblemView';
import { toastErrorOnce } from '@/components/Toasts';

import { ConnectionGuide } from './ConnectionGuide';
import { InstanceTable } from './InstanceTable';

const POLL_MS = 3000;

/** What runs of a service, and how to start and stop it. For its owner. */
export function Diagnostics({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Diagnostics');
  const where = { account, model: model.modelName };
  const { data, error, refetch } = coreApi.useCoreGetInstancesQuery(where, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <Title order={2}>{t('instances')}</Title>
        {model.hostingType === 'HOSTING_SERVER' && <Wanted {...where} />}
        {model.hostingType === 'EXTERNAL' && <AddExternal {...where} />}
      </Group>
      <InstanceTable {...where} instances={data?.instances ?? null} />
      {model.hostingType === 'EXTERNAL' && <ConnectionGuide {...where} />}
    </Stack>
  );
}

interface Where {
  account: string;
  model: string;
}

/** How many instances the owner wants on hosting servers. */
function Wanted(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const { data } = coreApi.useCoreGetInstancesStatusQuery(where);
  const [change, { isLoading }] = coreApi.useCoreSetInstancesCountMutation();
  const [count, setCount] = useState<number | null>(null);
  const wanted = count ?? data?.hostingServerRequested ?? 0;
  const save = async () => {
    const { error } = await change({ ...where, body: wanted });
    if (error) toastErrorOnce(t('failed'), asProblem(error)?.message ?? '');
  };
  return (
    <Group align="flex-end" gap="xs">
      <NumberInput label={t('wanted')} min={0} max={1000} clampBehavior="strict" allowDecimal={false} w={120} value={wanted} onChange={(value) => setCount(Number(value) || 0)} />
      <Button loading={isLoading} onClick={() => void save()}>
        {t('apply')}
      </Button>
    </Group>
  );
}

function AddExternal(where: Where) {
  const { t } = useTranslation('Diagnostics');
  const [create, { isLoading }] = coreApi.useCoreCreateExternalConnectionMutation();
  const add = async () => {
    const { error } = await create(where);
    if (error) toastErrorOnce(t('failed'), asProblem(error)?.message ?? '');
  };
  return (
    <Stack gap={4} align="flex-end">
      <Button leftSection={<IconPlugConnected size={16} aria-hidden />} loading={isLoading} onClick={() => void add()}>
        {t('addExternal')}
      </Button>
      <Text size="xs" c="dimmed">
        {t('addExternalHint')}
      </Text>
    </Stack>
  );
}
