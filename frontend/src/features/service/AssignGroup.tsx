import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

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
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('assignGroup')}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
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
  const form = useForm<{ group: string | null; name: string }>({
    initialValues: { group: model.modelGroupId === null ? null : String(model.modelGroupId), name: '' },
  });
  const refusal = useFormRefusal(form);
  const where = { account, model: model.modelName };
  const submit = form.onSubmit(async ({ group, name }) => {
    refusal.clear();
    let groupId = group === null ? null : Number(group);
    if (name.trim()) {
      const { data, error } = await create({ account, modelGroupData: { name: name.trim() } });
      if (refusal.show(error) || !data?.id) return;
      groupId = data.id.groupId;
    }
    const { error } = groupId === null ? await remove(where) : await assign({ ...where, groupId });
    if (refusal.show(error)) return;
    toastDone(t('grouped'));
    onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <Select
          label={t('group')}
          placeholder={t('noGroup')}
          data={groups.flatMap(({ id, name: label }) => (id ? [{ value: String(id.groupId), label }] : []))}
          {...form.getInputProps('group')}
          disabled={form.values.name.trim() !== ''}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('noGroup') }}
        />
        <TextInput label={t('newGroup')} maxLength={128} {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('App:cancel')}
          </Button>
          <Button type="submit" loading={assigning.isLoading || removing.isLoading || creating.isLoading}>
            {t('App:save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
