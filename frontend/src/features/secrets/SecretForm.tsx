import { Button, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, splitByField } from '@/api';
import type { SecretData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';

const MOST = 500;

interface Props {
  account: string;
  /** The secret whose value is replaced; without it a new secret is created. */
  secret: SecretData | null;
  onDone: () => void;
}

/** The value can be used and replaced, but never shown again. */
export function SecretForm({ account, secret, onDone }: Props) {
  const { t } = useTranslation('Secrets');
  const own = coreApi.useCoreGetPagedModelsQuery({ account, onlyMy: true, size: MOST });
  const services = (own.data?.records ?? []).map(({ id, modelName }) => ({ value: String(id.modelId), label: modelName }));
  const [name, setName] = useState('');
  const [modelId, setModelId] = useState<string | null>(null);
  const [value, setValue] = useState('');
  const [create, creating] = coreApi.useCoreCreateSecretMutation();
  const [replace, replacing] = coreApi.useCoreReplaceSecretMutation();
  const problem = asProblem(creating.error ?? replacing.error);
  const found = problem && splitByField(problem, ['name', 'value', 'modelId']);
  const submit = async () => {
    const { error } = secret
      ? await replace({ account, secretId: secret.secretId, secretReplaceData: { value } })
      : await create({ account, secretCreateData: { name, value, modelId: modelId === null ? null : Number(modelId) } });
    if (error) return;
    toastDone(t(secret ? 'replaced' : 'created'));
    onDone();
  };
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        {!secret && <TextInput label={t('name')} description={t('nameHint')} data-autofocus required maxLength={64} value={name} error={found?.fields.name} onChange={({ currentTarget }) => setName(currentTarget.value)} />}
        {!secret && <Select label={t('scope')} placeholder={t('everyService')} clearable searchable data={services} value={modelId} error={found?.fields.modelId} onChange={setModelId} />}
        <PasswordInput label={t('value')} description={t('valueHint')} data-autofocus={secret ? true : undefined} required autoComplete="new-password" value={value} error={found?.fields.value} onChange={({ currentTarget }) => setValue(currentTarget.value)} />
        {secret && <Text size="sm">{t('nextStart')}</Text>}
        {problem && found?.rest && <ProblemView problem={problem} />}
        <Button type="submit" disabled={!value || (!secret && !name)} loading={creating.isLoading || replacing.isLoading}>
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
