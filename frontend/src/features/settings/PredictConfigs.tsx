import { Badge, Button, Group, Input, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { PredictConfigData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Json } from '@/components/code/Json';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { RowAction } from '@/components/list/RowAction';

interface Where {
  account: string;
  model: string;
}

/** Named configs that calls can refer to by id; one may be the default for calls without a config. */
export function PredictConfigs(where: Where) {
  const { t } = useTranslation('Settings');
  const query = coreApi.useCoreListPredictConfigsQuery(where);
  const [edited, setEdited] = useState<PredictConfigData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<PredictConfigData | null>(null);
  const [remove] = coreApi.useCoreDeletePredictConfigMutation();
  const refused = useProblemToast();
  const columns = useColumns({ onEdit: setEdited, onDelete: setDoomed });
  const end = async (config: PredictConfigData) => {
    const result = await remove({ ...where, configId: config.id.configId });
    refused(t('failed'), result.error);
    setDoomed(null);
  };
  return (
    <Stack>
      <Group justify="flex-end">
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('newConfig')}
        </Button>
      </Group>
      <List
        label={t('tab.predict-config')}
        query={query}
        rows={query.data}
        columns={columns}
        rowKey={({ id }) => String(id.configId)}
        rowName={({ name }) => name}
        onOpen={setEdited}
        expected={3}
        empty={{ title: t('noConfigs'), hint: t('noConfigsHint') }}
      />
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        size="lg"
        title={t(edited === 'new' ? 'newConfig' : 'editConfig')}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {edited && (
          <ConfigForm where={where} config={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        )}
      </Modal>
      <Confirm
        opened={doomed !== null}
        title={t('deleteConfig', { name: doomed?.name ?? '' })}
        action={t('App:delete')}
        onClose={() => setDoomed(null)}
        onConfirm={() => doomed && end(doomed)}
      >
        {t('deleteConfigHint')}
      </Confirm>
    </Stack>
  );
}

interface Actions {
  onEdit: (config: PredictConfigData) => void;
  onDelete: (config: PredictConfigData) => void;
}

function useColumns({ onEdit, onDelete }: Actions): Column<PredictConfigData>[] {
  const { t } = useTranslation('Settings');
  return [
    { name: 'name', label: t('configName'), cell: ({ name }) => name },
    {
      name: 'number',
      label: t('configNumber'),
      width: 120,
      cell: ({ id }) => (
        <Text span inherit ff="monospace">
          {id.configId}
        </Text>
      ),
    },
    {
      name: 'default',
      label: t('configUse'),
      width: 180,
      cell: ({ isDefault }) => (isDefault ? <Badge variant="default">{t('default')}</Badge> : null),
    },
    {
      name: 'actions',
      label: t('configActions'),
      width: 96,
      actions: true,
      cell: (config) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <RowAction
            label={t('editConfigOf', { name: config.name })}
            Icon={IconPencil}
            onClick={() => onEdit(config)}
          />
          <RowAction
            label={t('deleteConfigOf', { name: config.name })}
            Icon={IconTrash}
            danger
            onClick={() => onDelete(config)}
          />
        </Group>
      ),
    },
  ];
}

function ConfigForm({ where, config, onDone }: { where: Where; config: PredictConfigData | null; onDone: () => void }) {
  const { t } = useTranslation('Settings');
  const [create, creating] = coreApi.useCoreCreatePredictConfigMutation();
  const [update, updating] = coreApi.useCoreUpdatePredictConfigMutation();
  const form = useForm({
    initialValues: { name: config?.name ?? '', config: config?.config ?? '{}', isDefault: config?.isDefault ?? false },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const configCreateUpdateData = { ...values, name: values.name.trim() };
    const { error } = config
      ? await update({ ...where, configId: config.id.configId, configCreateUpdateData })
      : await create({ ...where, configCreateUpdateData });
    if (!refusal.show(error)) onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput label={t('configName')} required data-autofocus maxLength={128} {...form.getInputProps('name')} />
        <Input.Wrapper label={t('config')} error={form.errors['config']}>
          <Json
            value={form.values.config}
            label={t('config')}
            onChange={(text) => form.setFieldValue('config', text)}
          />
        </Input.Wrapper>
        <Switch
          label={t('default')}
          description={t('defaultHint')}
          {...form.getInputProps('isDefault', { type: 'checkbox' })}
        />
        <Button type="submit" loading={creating.isLoading || updating.isLoading} disabled={!form.values.name.trim()}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
