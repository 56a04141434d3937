import { Badge, Button, Group, Input, Modal, Skeleton, Stack, Switch, Table, TextInput } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, splitByField } from '@/api';
import type { PredictConfigData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { Json } from '@/components/code/Json';
import { FieldProblem } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
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
  const [name, setName] = useState(config?.name ?? '');
  const [text, setText] = useState(config?.config ?? '{}');
  const [isDefault, setDefault] = useState(config?.isDefault ?? false);
  const [create, creating] = coreApi.useCoreCreatePredictConfigMutation();
  const [update, updating] = coreApi.useCoreUpdatePredictConfigMutation();
  const problem = asProblem(creating.error ?? updating.error);
  const { fields, rest } = problem ? splitByField(problem, ['name', 'config', 'isDefault']) : { fields: {} as Record<string, string>, rest: false };
  const errorOf = (path: string) => (problem && fields[path] ? <FieldProblem problem={problem} path={path} message={fields[path]} /> : undefined);
  const submit = async () => {
    const configCreateUpdateData = { name: name.trim(), isDefault, config: text };
    const { error } = config ? await update({ ...where, configId: config.id.configId, configCreateUpdateData }) : await create({ ...where, configCreateUpdateData });
    if (!error) onDone();
  };
  return (
    <Stack>
      {problem && rest && <ProblemView problem={problem} />}
      <TextInput error={errorOf('name')} label={t('configName')} required data-autofocus maxLength={128} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <Input.Wrapper label={t('config')} error={errorOf('config')}>
        <Json value={text} label={t('config')} onChange={setText} />
      </Input.Wrapper>
      <Switch label={t('default')} description={t('defaultHint')} checked={isDefault} onChange={({ currentTarget }) => setDefault(currentTarget.checked)} />
      <Button loading={creating.isLoading || updating.isLoading} disabled={!name.trim()} onClick={() => void submit()}>
        {t('App:save')}
      </Button>
    </Stack>
  );
}
