import { Alert, Anchor, Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { StateDot } from '@/components/StateDot';
import { AddExternal } from '@/features/diagnostics/AddExternal';
import { ConnectionGuide } from '@/features/diagnostics/ConnectionGuide';
import { WaitsForServer } from '@/features/diagnostics/WaitsForServer';
import { stateWith } from '@/lib/waiting';

const POLL_MS = 3000;
const TICK_MS = 1000;

/** The last step: the first instance comes alive, and the playground of the running service opens. */
export function Launch({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Create');
  const where = { account, model: model.modelName };
  const { data: status } = coreApi.useCoreGetModelStatusQuery(where, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const address = `/workspace/model/${model.id.accountId}/${model.id.modelId}`;
  const state = status?.state ?? model.state;
  if (state === 'RUNNING') return <Navigate to={address} replace />;
  return (
    <Stack maw={860} data-testid="launch">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{model.displayName ?? model.modelName}</Title>
          <StateDot state={stateWith(state, status?.waiting)} />
        </Group>
        <Anchor component={Link} to={`${address}/diagnostic`} size="sm">
          {t('toDiagnostics')}
        </Anchor>
      </Group>
      <Text c="dimmed">{t('launchHint')}</Text>
      {model.hostingType === 'EXTERNAL' ? (
        <>
          <AddExternal {...where} />
          <ConnectionGuide {...where} />
        </>
      ) : (
        <>
          {!status?.waiting && <Hosted where={where} starting={state === 'STARTING'} seconds={status?.startTimeSeconds ?? model.startTimeSec} />}
          <WaitsForServer account={account} model={model} />
        </>
      )}
    </Stack>
  );
}

function Hosted({ where, starting, seconds }: { where: { account: string; model: string }; starting: boolean; seconds: number | null }) {
  const { t } = useTranslation('Create');
  const [start, { isLoading }] = coreApi.useCoreStartSingleInstanceMutation();
  const refused = useProblemToast();
  if (starting) return <Progressing seconds={seconds} />;
  return (
    <Alert variant="light" title={t('notRunning')}>
      <Button loading={isLoading} onClick={() => void start(where).then(({ error }) => refused(t('notStarted'), error))}>
        {t('start')}
      </Button>
    </Alert>
  );
}

/** Counts the seconds of the start against the time that it usually takes, if one was seen. */
function Progressing({ seconds }: { seconds: number | null }) {
  const { t } = useTranslation('Create');
  const [passed, setPassed] = useState(0);
  useInterval(() => setPassed((now) => now + 1), TICK_MS, { autoInvoke: true });
  const usual = seconds === null ? null : Math.max(1, Math.round(seconds));
  return (
    <Stack gap={6}>
      <Text size="sm">{usual === null ? t('startsFor', { passed }) : t('startsUsually', { passed, usual })}</Text>
      <Progress value={usual === null ? 100 : Math.min(95, (100 * passed) / usual)} animated={usual === null} size="sm" aria-hidden />
    </Stack>
  );
}
