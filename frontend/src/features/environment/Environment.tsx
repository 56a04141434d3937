import { Anchor, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';

import { faultOf, isHidden, type Row, rowsOf, sentOf } from './rows';

interface Props {
  account: string;
  model: ModelInfoData;
}

/** Variables of instances: readable values, and secrets that nobody can read. */
export function Environment({ account, model }: Props) {
  const { t } = useTranslation('Environment');
  const { data: secrets = [] } = coreApi.useCoreListSecretsQuery({ account });
  const [update, { error, isLoading }] = coreApi.useCoreUpdateModelMutation();
  const before = rowsOf(model.env, model.secretEnv);
  const [rows, setRows] = useState(before);
  const names = [...new Set(secrets.filter(({ modelId }) => modelId === null || modelId === model.id.modelId).map(({ name }) => name))];
  const problem = asProblem(error);
  const dirty = JSON.stringify(sentOf(rows)) !== JSON.stringify(sentOf(before)) || rows.length !== before.length;
  const faulty = rows.some((row) => faultOf(row, rows) !== null);
  const change = (id: number, values: Partial<Row>) => setRows(rows.map((row) => (row.id === id ? { ...row, ...values } : row)));
  const save = async () => {
    const result = await update({ account, model: model.modelName, modelCreateUpdateData: { modelName: model.modelName, ...sentOf(rows) } });
    if (result.error) return;
    setRows(rowsOf(result.data.env, result.data.secretEnv));
    toastDone(t('saved'));
  };
  return (
    <Stack gap="md" component="section" maw={840}>
      <Title order={3}>{t('title')}</Title>
      <Text size="sm" c="dimmed">
        {t('hint')}{' '}
        <Anchor component={Link} to="/workspace/secrets" inherit>
          {t('toSecrets')}
        </Anchor>
      </Text>
      {rows.length === 0 && <Text c="dimmed">{t('none')}</Text>}
      {rows.map((row) => (
        <Variable key={row.id} row={row} rows={rows} secrets={names} onChange={(values) => change(row.id, values)} onRemove={() => setRows(rows.filter(({ id }) => id !== row.id))} />
      ))}
      {problem && <ProblemView problem={problem} />}
      <Group>
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, name: '', kind: 'value', value: '' }])}>
          {t('add')}
        </Button>
        <Button disabled={!dirty || faulty} loading={isLoading} onClick={() => void save()}>
          {t('save')}
        </Button>
      </Group>
    </Stack>
  );
}

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

interface VariableProps {
  row: Row;
  rows: readonly Row[];
  secrets: string[];
  onChange: (values: Partial<Row>) => void;
  onRemove: () => void;
}

function Variable({ row, rows, secrets, onChange, onRemove }: VariableProps) {
  const { t } = useTranslation('Environment');
  const [others, setOthers] = useState(''); // what was given as the other kind, for who comes back to it
  const fault = row.name ? faultOf(row, rows) : null;
  const become = (kind: Row['kind']) => {
    onChange({ kind, value: others });
    setOthers(row.value);
  };
  const kinds = (['value', 'secret'] as const).map((value) => ({ value, label: t(`kind.${value}`) }));
  return (
    <Group component="fieldset" align="flex-start" gap="xs" bd="none" p={0} m={0} mb={{ base: 'xs', sm: 0 }} aria-label={row.name || t('new')}>
      <TextInput aria-label={t('name')} placeholder="NAME" styles={MONO} maxLength={128} value={row.name} error={fault && fault !== 'secret' && t(`fault.${fault}`)} onChange={({ currentTarget }) => onChange({ name: currentTarget.value })} />
      <NativeSelect aria-label={t('kindOf')} data={kinds} w={130} value={row.kind} onChange={({ currentTarget }) => become(currentTarget.value === 'secret' ? 'secret' : 'value')} />
      {row.kind === 'secret' ? (
        <NativeSelect aria-label={t('secret')} data={[{ value: '', label: t(secrets.length ? 'choose' : 'noSecrets') }, ...secrets]} flex={1} miw={180} value={row.value} onChange={({ currentTarget }) => onChange({ value: currentTarget.value })} />
      ) : (
        <TextInput
          aria-label={t('value')} styles={MONO} flex={1} miw={180} value={row.value} description={isHidden(row) ? t('hidden') : undefined} inputWrapperOrder={['label', 'input', 'description', 'error']}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value })}
        />
      )}
      <Button variant="subtle" color="red" onClick={onRemove} aria-label={t('removeOf', { name: row.name })}>
        {t('App:delete')}
      </Button>
    </Group>
  );
}
