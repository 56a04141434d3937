import { Alert, Anchor } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { EntryForm } from './EntryForm';
import { useMailedToken } from './useMailedToken';

/** Requires a click: mail scanners follow links and would use up the token. */
export function ConfirmEmailPage() {
  const { t } = useTranslation('Accounts');
  const token = useMailedToken();
  const [confirm, { isLoading }] = accountsApi.useAccountsConfirmEmailMutation();
  const [done, setDone] = useState(false);
  const form = useForm({ initialValues: {} });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async () => {
    refusal.clear();
    const { error } = await confirm({ confirmEmailInput: { token } });
    if (!refusal.show(error)) setDone(true);
  });
  return (
    <EntryForm title={t('confirm')} busy={isLoading} refusal={refusal} onSubmit={submit} disabled={done || !token}>
      {!token && <Alert color="yellow">{t('noToken')}</Alert>}
      {done && (
        <Alert color="green" aria-live="polite">
          {t('confirmed')} <Anchor href="/">{t('goOn')}</Anchor>
        </Alert>
      )}
    </EntryForm>
  );
}
