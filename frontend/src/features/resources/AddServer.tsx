import { Alert, Button, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { CodeBlock } from '@/components/code/CodeBlock';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { AGENT_COMMAND, agentConfig, configurationOf } from './configuration';

interface Props {
  account: string;
  groupName: string;
  onDone: () => void;
}

/** A server joins through its agent; the enrolment token is shown once. */
export function AddServer({ account, groupName, onDone }: Props) {
  const { t } = useTranslation('Resources');
  const [create, { isLoading }] = coreApi.useCoreCreateServerMutation();
  const [token, setToken] = useState<string | null>(null);
  const form = useForm<{ serverName: string; description: string; maxInstances: number | string }>({
    initialValues: { serverName: '', description: '', maxInstances: '' },
    validate: { serverName: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form, { rawConfiguration: 'description' });
  const submit = form.onSubmit(async ({ serverName, description, maxInstances }) => {
    refusal.clear();
    const rawConfiguration = configurationOf({
      description: description.trim(),
      maxInstances: Number(maxInstances) || null,
    });
    const { data, error } = await create({
      account,
      groupName,
      createResourceGroupServer: { serverName: serverName.trim(), rawConfiguration },
    });
    if (!refusal.show(error) && data) setToken(data.enrolmentToken);
  }, refusal.showInvalid);
  if (token) {
    return (
      <Stack>
        <Alert color="yellow" title={t('tokenOnce')}>
          {t('tokenHint')}
        </Alert>
        <Text size="sm">agent.json</Text>
        <CodeBlock code={agentConfig(window.location.origin, token)} label="agent.json" />
        <CodeBlock code={AGENT_COMMAND} label={t('agentCommand')} />
        <Button onClick={onDone}>{t('done')}</Button>
      </Stack>
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput
          label={t('serverName')}
          required
          data-autofocus
          maxLength={64}
          {...form.getInputProps('serverName')}
        />
        <Textarea
          label={t('description')}
          maxLength={1024}
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        <NumberInput
          label={t('maxInstances')}
          placeholder={t('unlimited')}
          min={1}
          max={100_000}
          allowDecimal={false}
          {...form.getInputProps('maxInstances')}
        />
        <Button type="submit" loading={isLoading}>
          {t('addServer')}
        </Button>
      </Stack>
    </form>
  );
}
