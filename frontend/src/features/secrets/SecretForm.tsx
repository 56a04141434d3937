import { Button, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { SecretData } from '@/api/generated/core.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

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
  const services = (own.data?.records ?? []).map(({ id, modelName }) => ({
    value: String(id.modelId),
    label: modelName,
  }));
  const [create, creating] = coreApi.useCoreCreateSecretMutation();
  const [replace, replacing] = coreApi.useCoreReplaceSecretMutation();
  const form = useForm<{ name: string; modelId: string | null; value: string }>({
    initialValues: { name: '', modelId: null, value: '' },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ name, modelId, value }) => {
    refusal.clear();
    const { error } = secret
      ? await replace({ account, secretId: secret.secretId, secretReplaceData: { value } })
      : await create({
          account,
          secretCreateData: { name, value, modelId: modelId === null ? null : Number(modelId) },
        });
    if (refusal.show(error)) return;
    toastDone(t(secret ? 'replaced' : 'created'));
    onDone();
  });
  const { name, value } = form.values;
  return (
    <form autoComplete="off" onSubmit={submit} noValidate>
      <Stack>
        {!secret && (
          <TextInput
            label={t('name')}
            description={t('nameHint')}
            data-autofocus
            required
            styles={MONOSPACED}
            maxLength={64}
            {...form.getInputProps('name')}
          />
        )}
        {!secret && (
          <Select
            label={t('scope')}
            placeholder={t('everyService')}
            clearable
            searchable
            data={services}
            {...form.getInputProps('modelId')}
          />
        )}
        <PasswordInput
          label={t('value')}
          description={t('valueHint')}
          data-autofocus={secret ? true : undefined}
          required
          autoComplete="new-password"
          {...form.getInputProps('value')}
        />
        {secret && <Text size="sm">{t('nextStart')}</Text>}
        <FormBanner refusal={refusal} />
        <Button
          type="submit"
          disabled={!value || (!secret && !name)}
          loading={creating.isLoading || replacing.isLoading}
        >
          {t('App:save')}
        </Button>
      </Stack>
    </form>
  );
}
