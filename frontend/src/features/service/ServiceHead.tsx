import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Price } from '@/components/Price';
import { StateDot } from '@/components/StateDot';
import { TaskIcon } from '@/components/TaskIcon';
import { startSecondsOf } from '@/features/catalogue/statistics';
import { useStartText } from '@/lib/useStartText';
import { useTaskNames } from '@/lib/useTaskNames';
import { stateOf, stateWith } from '@/lib/waiting';

const STATUS_POLL_MS = 4000;

/** The most important facts of a service: name, purpose, state, price. */
export function ServiceHead({ model, account, owner }: { model: ModelInfoData; account: string; owner: boolean }) {
  const { t } = useTranslation('Service');
  const names = useTaskNames();
  const fullName = `${model.modelAccountName ?? account}/${model.modelName}`;
  return (
    <Group gap="sm">
      <Group gap={4} wrap="nowrap" miw={0}>
        <Text ff="monospace" size="sm" span style={{ overflowWrap: 'anywhere' }}>
          {fullName}
        </Text>
        <Copy value={fullName} />
      </Group>
      <Group gap={6} wrap="nowrap">
        <TaskIcon taskType={model.taskType} size={16} />
        <Text size="sm">{names(model.taskType)}</Text>
      </Group>
      {owner ? <OwnStatus account={account} model={model} /> : <CallerStatus state={stateOf(model)} startSeconds={startSecondsOf(model)} />}
      <Price model={model} />
      {owner && (
        <Badge variant="default">
          {t(model.publicSettings.isPublic ? 'published' : 'private')}
        </Badge>
      )}
    </Group>
  );
}

/** Polled often for owners, who may be waiting for a start. */
function OwnStatus({ account, model }: { account: string; model: ModelInfoData }) {
  const { data } = coreApi.useCoreGetModelStatusQuery({ account, model: model.modelName }, { pollingInterval: STATUS_POLL_MS, skipPollingIfUnfocused: true });
  return <Status state={stateWith(data?.state ?? stateOf(model), data?.waiting)} startSeconds={data?.startTimeSeconds ?? startSecondsOf(model)} />;
}

/** Callers ask when the service answers, as on its card in the catalogue. */
function CallerStatus({ state, startSeconds }: { state: string; startSeconds: number | null }) {
  const startText = useStartText();
  return (
    <div data-testid="state">
      <StateDot state={state} text={startText(state, startSeconds, { alone: true })} />
    </div>
  );
}

function Status({ state, startSeconds }: { state: string; startSeconds: number | null }) {
  const startText = useStartText();
  return (
    <Group gap={6} wrap="nowrap" data-testid="state">
      <StateDot state={state} />
      <Text size="sm" c="dimmed">
        {startText(state, startSeconds)}
      </Text>
    </Group>
  );
}
