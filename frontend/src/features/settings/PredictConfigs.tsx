import { Badge, Button, Group, Input, Modal, Skeleton, Stack, Switch, Table, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { PredictConfigData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { Json } from '@/components/code/Json';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { RowAction } from '@/components/list/RowAction';

interface Where {
  account: string;
  model: string;
}

/** Named configs that calls can refer to by id; one may be the default for calls without a config. */
export function PredictConfigs(where: Where) {
  const { t } = useTranslation('Settings');
  const { data, error, refetch } = coreApi.useCoreListPredictConfigsQuery(where);
  const [edited, setEdited] = useState<PredictConfigData | 'new' | null>(null);
  const [doomed, setDoomed] = useState<PredictConfigData | null>(null);
  const [remove] = coreApi.useCoreDeletePredictConfigMutation();
  const refused = useProblemToast();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={200} />;
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
      {data.length === 0 ? <Empty title={t('noConfigs')}>{t('noConfigsHint')}</Empty> : <Configs configs={data} onEdit={setEdited} onDelete={setDoomed} />}
      <Modal opened={edited !== null} onClose={() => setEdited(null)} size="lg" title={t(edited === 'new' ? 'newConfig' : 'editConfig')} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {edited && <ConfigForm where={where} config={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />}
      </Modal>
      <Confirm opened={doomed !== null} title={t('deleteConfig', { name: doomed?.name ?? '' })} action={t('App:delete')} onClose={() => setDoomed(null)} onConfirm={() => doomed && end(doomed)}>
        {t('deleteConfigHint')}
      </Confirm>
    </Stack>
  );
}

function Configs({ configs, onEdit, onDelete }: { configs: PredictConfigData[]; onEdit: (config: PredictConfigData) => void; onDelete: (config: PredictConfigData) => void }) {
  const { t } = useTranslation('Settings');
  return (
    <Table>
      <Table.Tbody>
        {configs.map((config) => (
          <Table.Tr key={config.id.configId}>
            <Table.Td ff="monospace">{config.id.configId}</Table.Td>
            <Table.Td fw={500}>{config.name}</Table.Td>
            <Table.Td>
              {config.isDefault && (
                <Badge variant="default">
                  {t('default')}
                </Badge>
              )}
            </Table.Td>
            <Table.Td ta="right">
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <RowAction label={t('editConfigOf', { name: config.name })} Icon={IconPencil} onClick={() => onEdit(config)} />
                <RowAction label={t('deleteConfigOf', { name: config.name })} Icon={IconTrash} danger onClick={() => onDelete(config)} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ConfigForm({ where, config, onDone }: { where: Where; config: PredictConfigData | null; onDone: () => void }) {
  const { t } = useTranslation('Settings');
  const [create, creating] = coreApi.useCoreCreatePredictConfigMutation();
  const [update, updating] = coreApi.useCoreUpdatePredictConfigMutation();
  const form = useForm({ initialValues: { name: config?.name ?? '', config: config?.config ?? '{}', isDefault: config?.isDefault ?? false } });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const configCreateUpdateData = { ...values, name: values.name.trim() };
    const { error } = config ? await update({ ...where, configId: config.id.configId, configCreateUpdateData }) : await create({ ...where, configCreateUpdateData });
    if (!refusal.show(error)) onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput label={t('configName')} required data-autofocus maxLength={128} {...form.getInputProps('name')} />
        <Input.Wrapper label={t('config')} error={form.errors['config']}>
          <Json value={form.values.config} label={t('config')} onChange={(text) => form.setFieldValue('config', text)} />
        </Input.Wrapper>
        <Switch label={t('default')} description={t('defaultHint')} {...form.getInputProps('isDefault', { type: 'checkbox' })} />
        <Button type="submit" loading={creating.isLoading || updating.isLoading} disabled={!form.values.name.trim()}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
