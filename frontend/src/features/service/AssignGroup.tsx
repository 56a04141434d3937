import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';
import { toastDone } from '@/components/feedback/Toasts';

interface Props {
  account: string;
  model: ModelInfoData;
  opened: boolean;
  onClose: () => void;
}

/** Moves a service into a group, a new group, or none. */
export function AssignGroup({ account, model, opened, onClose }: Props) {
  const { t } = useTranslation('Service');
  return (
    <Modal opened={opened} onClose={onClose} title={t('assignGroup')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Choice account={account} model={model} onDone={onClose} />
    </Modal>
  );
}

function Choice({ account, model, onDone }: { account: string; model: ModelInfoData; onDone: () => void }) {
  const { t } = useTranslation('Service');
  const { data: groups = [] } = coreApi.useCoreGetGroupsQuery({ account });
  const [assign, assigning] = coreApi.useCoreSetModelGroupMutation();
  const [remove, removing] = coreApi.useCoreRemoveModelGroupMutation();
  const [create, creating] = coreApi.useCoreCreateGroupMutation();
  const [chosen, setChosen] = useState<string | null>(model.modelGroupId === null ? null : String(model.modelGroupId));
  const [name, setName] = useState('');
  const problem = asProblem(creating.error ?? assigning.error ?? removing.error);
  const where = { account, model: model.modelName };
  const save = async () => {
    let groupId = chosen === null ? null : Number(chosen);
    if (name.trim()) {
      const made = await create({ account, modelGroupData: { name: name.trim() } });
      if (!made.data?.id) return;
      groupId = made.data.id.groupId;
    }
    const { error } = groupId === null ? await remove(where) : await assign({ ...where, groupId });
    if (error) return;
    toastDone(t('grouped'));
    onDone();
  };
  return (
    <Stack>
      {problem && (
        <Alert color="red" role="alert">
          <ProblemSummary problem={problem} />
        </Alert>
      )}
      <Select
        label={t('group')}
        placeholder={t('noGroup')}
        data={groups.flatMap(({ id, name: label }) => (id ? [{ value: String(id.groupId), label }] : []))}
        value={chosen}
        onChange={setChosen}
        disabled={name.trim() !== ''}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('noGroup') }}
      />
      <TextInput label={t('newGroup')} maxLength={128} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('App:cancel')}
        </Button>
        <Button loading={assigning.isLoading || removing.isLoading || creating.isLoading} onClick={() => void save()}>
          {t('App:save')}
        </Button>
      </Group>
    </Stack>
  );
}
