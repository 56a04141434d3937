import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData, ModelShortStatusData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Price } from '@/components/Price';
import { StateWithStart } from '@/components/StateWithStart';
import { TaskIcon } from '@/components/TaskIcon';
import { startSecondsOf } from '@/features/catalogue/statistics';
import { useStartText } from '@/lib/useStartText';
import { useTaskNames } from '@/lib/useTaskNames';
import { stateOf, stateWith, waitsForServer } from '@/lib/waiting';

const STATUS_POLL_MS = 4000;

interface Props {
  model: ModelInfoData;
  account: string;
  owner: boolean;
  /** What the page knew before it was shown. */
  known?: ModelShortStatusData | undefined;
}

/** The most important facts of a service: name, purpose, state, price. */
export function ServiceHead({ model, account, owner, known }: Props) {
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
      {owner ? <OwnStatus account={account} model={model} known={known} /> : <CallerStatus model={model} />}
      <Price model={model} />
      {owner && <Badge variant="default">{t(model.publicSettings.isPublic ? 'published' : 'private')}</Badge>}
    </Group>
  );
}

/** Polled often for owners, who may be waiting for a start. */
function OwnStatus({ account, model, known }: Omit<Props, 'owner'>) {
  const { t } = useTranslation('Starting');
  const startText = useStartText();
  const { data = known } = coreApi.useCoreGetModelStatusQuery(
    { account, model: model.modelName },
    { pollingInterval: STATUS_POLL_MS, skipPollingIfUnfocused: true },
  );
  const { start } = data ?? model;
  const state = data ? stateWith(data.state, data.waiting, start) : stateOf(model);
  const text = start ? '' : startText(state, data?.startTimeSeconds ?? startSecondsOf(model));
  const another = data?.waiting && start && !waitsForServer(start) ? t('anotherWaits') : '';
  return (
    <Group gap="0 6px" data-testid="state" aria-live="polite">
      <StateWithStart state={state} start={start} />
      <Text size="sm" c="dimmed">
        {text || another}
      </Text>
    </Group>
  );
}

/** Callers ask when the service answers, as on its card in the catalogue. */
function CallerStatus({ model }: { model: ModelInfoData }) {
  const startText = useStartText();
  const state = stateOf(model);
  return (
    <div data-testid="state" aria-live="polite">
      <StateWithStart
        state={state}
        start={model.start}
        text={startText(state, startSecondsOf(model), { alone: true })}
      />
    </div>
  );
}
