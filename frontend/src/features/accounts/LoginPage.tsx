import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, splitByField } from '@/api';

import { useRedirect } from './useRedirect';

export function LoginPage() {
  const { t } = useTranslation('Accounts');
  useDocumentTitle(`${t('login')} · MLPlace`);
  const redirect = useRedirect();
  const [signIn, { isLoading }] = accountsApi.useAccountsSignInMutation();
  const [refused, setRefused] = useState<string | null>(null);
  const form = useForm({
    initialValues: { login: '', password: '' },
    validate: { login: (value) => (value.trim() ? null : t('Input:Required')), password: (value) => (value ? null : t('Input:Required')) },
  });
  const submit = form.onSubmit(async ({ login, password }) => {
    setRefused(null);
    const { data, error } = await signIn({ loginInput: { login: login.trim(), password, redirectUrl: redirect.wanted } });
    if (data) return data.accountId === null ? window.location.assign(redirect.keep('/c/select-account')) : redirect.go(data.redirectUrl);
    const problem = asProblem(error);
    if (!problem) return;
    const { fields, rest } = splitByField(problem, ['login', 'password']);
    form.setErrors(fields);
    if (rest) setRefused(problem.message || t('Error:noAnswer'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Title order={1} fz={20}>
          {t('login')}
        </Title>
        {refused && (
          <Alert color="red" role="alert">
            {refused}
          </Alert>
        )}
        <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('login')} />
        <PasswordInput label={t('password')} autoComplete="current-password" required {...form.getInputProps('password')} />
        <Button type="submit" loading={isLoading}>
          {t('login')}
        </Button>
        <Text size="sm" ta="center">
          {t('noAccount')} <Anchor href={redirect.keep('/c/register')}>{t('register')}</Anchor>
        </Text>
      </Stack>
    </form>
  );
}
