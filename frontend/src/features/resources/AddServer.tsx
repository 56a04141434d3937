import { Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { LEAST_CONFIGURATION } from './configuration';
import { EnrolmentToken } from './EnrolmentToken';
import { ServerSource } from './ServerSource';
import { serverOf, type ServerValues, SHOWN_AT } from './serverValues';

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
  const form = useForm<ServerValues>({
    initialValues: {
      serverName: '',
      source: 'fields',
      description: '',
      maxInstances: '',
      templateId: null,
      rawConfiguration: LEAST_CONFIGURATION,
      lifetime: '',
    },
    validate: {
      serverName: (value) => (value.trim() ? null : t('Input:Required')),
      templateId: (value, { source }) => (source === 'template' && !value ? t('Input:Required') : null),
      rawConfiguration: (value, { source }) => (source === 'yaml' && !value.trim() ? t('Input:Required') : null),
    },
  });
  const refusal = useFormRefusal(form, {
    rawConfiguration: SHOWN_AT[form.values.source],
    maxServerLifetimeMinutes: 'lifetime',
  });
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const { data, error } = await create({ account, groupName, createResourceGroupServer: serverOf(values) });
    if (!refusal.show(error) && data) setToken(data.enrolmentToken);
  }, refusal.showInvalid);
  if (token) return <EnrolmentToken token={token} onDone={onDone} />;
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
        <ServerSource account={account} groupName={groupName} form={form} />
        <NumberInput
          label={t('lifetime')}
          description={t('lifetimeHint')}
          placeholder={t('unlimited')}
          min={1}
          max={10_000_000}
          allowDecimal={false}
          {...form.getInputProps('lifetime')}
        />
        <Button type="submit" loading={isLoading}>
          {t('addServer')}
        </Button>
      </Stack>
    </form>
  );
}
