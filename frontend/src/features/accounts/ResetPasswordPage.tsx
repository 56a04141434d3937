import { Alert, Anchor, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { EntryForm } from './EntryForm';
import { SHORTEST_PASSWORD } from './RegisterPage';
import { useMailedToken } from './useMailedToken';

/** A new password ends all other sessions. */
export function ResetPasswordPage() {
  const { t } = useTranslation('Accounts');
  const token = useMailedToken();
  const [reset, { isLoading }] = accountsApi.useAccountsResetPasswordMutation();
  const [done, setDone] = useState(false);
  const form = useForm({
    initialValues: { newPassword: '' },
    validate: {
      newPassword: (value) =>
        value.length >= SHORTEST_PASSWORD ? null : t('passwordShort', { count: SHORTEST_PASSWORD }),
    },
  });
  const refusal = useFormRefusal(form, { token: 'newPassword' });
  const submit = form.onSubmit(async ({ newPassword }) => {
    refusal.clear();
    const { error } = await reset({ resetPasswordInput: { token, newPassword } });
    if (!refusal.show(error)) setDone(true);
  }, refusal.showInvalid);
  return (
    <EntryForm title={t('reset')} busy={isLoading} refusal={refusal} onSubmit={submit} disabled={done || !token}>
      {!token && <Alert color="yellow">{t('noToken')}</Alert>}
      {done ? (
        <Alert color="green" aria-live="polite">
          {t('resetDone')} <Anchor href="/c/login">{t('login')}</Anchor>
        </Alert>
      ) : (
        <PasswordInput
          label={t('newPassword')}
          description={t('passwordHint', { count: SHORTEST_PASSWORD })}
          autoComplete="new-password"
          required
          {...form.getInputProps('newPassword')}
        />
      )}
    </EntryForm>
  );
}
