import { Alert, Anchor, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { EntryForm } from './EntryForm';
import { useRedirect } from './useRedirect';
import { useTurn } from './useTurn';

/** Shows the same text whether or not the user exists, so that it does not reveal addresses. */
export function ForgotPasswordPage() {
  const { t } = useTranslation('Accounts');
  const redirect = useRedirect();
  const { data: options } = accountsApi.useAccountsGetPublicOptionsQuery();
  const [ask, { isLoading }] = accountsApi.useAccountsForgotPasswordMutation();
  const [sent, setSent] = useState(false);
  const form = useForm({
    initialValues: { login: '' },
    validate: { login: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form);
  const turn = useTurn();
  const submit = form.onSubmit(async ({ login }) => {
    refusal.clear();
    const { error } = await ask({ forgotPasswordInput: { login: login.trim() } });
    if (!turn.begin(error) && !refusal.show(error)) setSent(true);
  }, refusal.showInvalid);
  const mails = options?.mailAvailable !== false;
  return (
    <EntryForm
      title={t('forgot')}
      action={t('sendLink')}
      busy={isLoading}
      refusal={refusal}
      turn={turn}
      onSubmit={submit}
      disabled={!mails || sent}
      foot={
        <Text size="sm" ta="center">
          <Anchor href={redirect.keep('/c/login')}>{t('login')}</Anchor>
        </Text>
      }
    >
      {!mails && <Alert color="yellow">{t('noMail')}</Alert>}
      {sent && (
        <Alert color="green" aria-live="polite">
          {t('linkSent')}
        </Alert>
      )}
      <TextInput
        label={t('email')}
        type="email"
        autoComplete="username"
        required
        disabled={!mails || sent}
        {...form.getInputProps('login')}
      />
    </EntryForm>
  );
}
