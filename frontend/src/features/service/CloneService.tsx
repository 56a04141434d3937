import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useRefusal } from '@/components/feedback/useRefusal';
import { ServiceName } from '@/components/ServiceName';
import { useNameCheck } from '@/lib/useNameCheck';

interface Props {
  account: string;
  model: ModelInfoData;
  opened: boolean;
  onClose: () => void;
  /** The clone is to start at once, unless people switch that off. */
  launch?: boolean;
}

/** Creates an own service with the settings of this one. */
export function CloneService({ account, model, opened, onClose, launch = false }: Props) {
  const { t } = useTranslation('Service');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('cloneTitle', { name: model.displayName ?? model.modelName })}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      <CloneForm account={account} model={model} launch={launch} onDone={onClose} />
    </Modal>
  );
}

function CloneForm({
  account,
  model,
  launch,
  onDone,
}: {
  account: string;
  model: ModelInfoData;
  launch: boolean;
  onDone: () => void;
}) {
  const { t } = useTranslation('Service');
  const navigate = useNavigate();
  const [name, setName] = useState(`${model.modelName}-copy`.slice(0, 64));
  const [displayName, setDisplayName] = useState(model.displayName ?? '');
  const [autoStart, setAutoStart] = useState(launch);
  const check = useNameCheck(name);
  const [clone, { isLoading }] = coreApi.useCoreCreateClonedModelMutation();
  const refusal = useRefusal();
  const submit = async () => {
    refusal.clear();
    const { data, error } = await clone({
      account,
      model: model.modelName,
      name,
      displayName: displayName.trim() || null,
      autoStart,
    });
    if (refusal.show(error) || !data) return;
    toastDone(t(autoStart ? 'cloneLaunched' : 'cloned'));
    onDone();
    void navigate(`/workspace/model/${data.id.accountId}/${data.id.modelId}`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <FormBanner refusal={refusal} />
        <ServiceName value={name} check={check} onChange={setName} />
        <TextInput
          label={t('displayName')}
          maxLength={255}
          value={displayName}
          onChange={({ currentTarget }) => setDisplayName(currentTarget.value)}
        />
        <Switch
          label={t('autoStart')}
          checked={autoStart}
          onChange={({ currentTarget }) => setAutoStart(currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('App:cancel')}
          </Button>
          <Button type="submit" loading={isLoading} disabled={check.state !== 'free'}>
            {t(launch && autoStart ? 'cloneAndLaunch' : 'clone')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
