import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { RegistryCredentialData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

interface Props {
  account: string;
  /** The credentials that are replaced; without them new ones are created. */
  credential: RegistryCredentialData | null;
  onDone: () => void;
}

/** The password can be used and replaced, but never shown again. */
export function RegistryForm({ account, credential, onDone }: Props) {
  const { t } = useTranslation('Registries');
  const [create, creating] = coreApi.useCoreCreateRegistryCredentialMutation();
  const [replace, replacing] = coreApi.useCoreReplaceRegistryCredentialMutation();
  const form = useForm({ initialValues: { host: '', username: credential?.username ?? '', password: '' } });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ host, username, password }) => {
    refusal.clear();
    const { error } = credential
      ? await replace({
          account,
          credentialId: credential.credentialId,
          registryCredentialReplaceData: { username, password },
        })
      : await create({ account, registryCredentialCreateData: { host: host.trim(), username, password } });
    if (refusal.show(error)) return;
    toastDone(t(credential ? 'replaced' : 'created'));
    onDone();
  });
  const { host, username, password } = form.values;
  return (
    <form autoComplete="off" onSubmit={submit} noValidate>
      <Stack>
        {!credential && (
          <TextInput
            label={t('host')}
            description={t('hostHint')}
            placeholder="registry.example:5000"
            data-autofocus
            required
            maxLength={255}
            {...form.getInputProps('host')}
          />
        )}
        <TextInput
          label={t('username')}
          required
          maxLength={255}
          autoComplete="off"
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={t('password')}
          description={t('passwordHint')}
          data-autofocus={credential ? true : undefined}
          required
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {credential && <Text size="sm">{t('nextStart')}</Text>}
        <FormBanner refusal={refusal} />
        <Button
          type="submit"
          disabled={!username || !password || (!credential && !host.trim())}
          loading={creating.isLoading || replacing.isLoading}
        >
          {t(credential ? 'App:save' : 'App:create')}
        </Button>
      </Stack>
    </form>
  );
}
