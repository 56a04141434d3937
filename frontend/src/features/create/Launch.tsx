import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { Link } from '@/components/Link';
import { StateDot } from '@/components/StateDot';
import { StartBar } from '@/components/StartBar';
import { AddExternal } from '@/features/diagnostics/AddExternal';
import { ConnectionGuide } from '@/features/diagnostics/ConnectionGuide';
import { WaitsForServer } from '@/features/diagnostics/WaitsForServer';
import { stateWith } from '@/lib/waiting';

const POLL_MS = 3000;
/** This step ends when the first instance runs. */
const NONE: ReadonlySet<number> = new Set();

/** The last step: the first instance comes alive, and the playground of the running service opens. */
export function Launch({ account, model }: { account: string; model: ModelInfoData }) {
  const { t } = useTranslation('Create');
  const where = { account, model: model.modelName };
  const { data: status } = coreApi.useCoreGetModelStatusQuery(where, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  const address = `/workspace/model/${model.id.accountId}/${model.id.modelId}`;
  const { state, start } = status ?? model;
  if (state === 'RUNNING') return <Navigate to={address} replace />;
  return (
    <Stack maw={860} data-testid="launch">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{model.displayName ?? model.modelName}</Title>
          <StateDot state={stateWith(state, status?.waiting, start)} />
        </Group>
        <Anchor component={Link} to={`${address}/diagnostic`} size="sm">
          {t('toDiagnostics')}
        </Anchor>
      </Group>
      <Text c="dimmed">{t('launchHint')}</Text>
      {model.hostingType === 'EXTERNAL' ? (
        <>
          <AddExternal {...where} />
          <ConnectionGuide {...where} running={NONE} />
        </>
      ) : (
        <>
          {start && (
            <div aria-live="polite">
              <StartBar start={start} />
            </div>
          )}
          {state !== 'STARTING' && <NotRunning where={where} />}
          <WaitsForServer account={account} model={model} />
        </>
      )}
    </Stack>
  );
}

function NotRunning({ where }: { where: { account: string; model: string } }) {
  const { t } = useTranslation('Create');
  const [start, { isLoading }] = coreApi.useCoreStartSingleInstanceMutation();
  const refused = useProblemToast();
  return (
    <Alert variant="light" title={t('notRunning')}>
      <Button
        loading={isLoading}
        onClick={() => void start(where).then(({ error }) => refused(t('notStarted'), error))}
      >
        {t('start')}
      </Button>
    </Alert>
  );
}
