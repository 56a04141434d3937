import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, splitByField } from '@/api';

import { useRedirect } from './useRedirect';

const SHORTEST_PASSWORD = 8;

export function RegisterPage() {
  const { t, i18n } = useTranslation('Accounts');
  useDocumentTitle(`${t('register')} · MLPlace`);
  const redirect = useRedirect();
  const [register, { isLoading }] = accountsApi.useAccountsRegisterMutation();
  const [refused, setRefused] = useState<string | null>(null);
  const form = useForm({
    initialValues: { login: '', password: '', accountName: '' },
    validate: {
      login: (value) => (value.trim() ? null : t('Input:Required')),
      password: (value) => (value.length >= SHORTEST_PASSWORD ? null : t('passwordShort', { count: SHORTEST_PASSWORD })),
    },
  });
  const submit = form.onSubmit(async ({ login, password, accountName }) => {
    setRefused(null);
    const registerInput = {
      login: login.trim(),
      password,
      accountName: accountName.trim() || null,
      language: i18n.language === 'ru' ? ('RU' as const) : ('EN' as const),
      redirectUrl: redirect.wanted,
    };
    const { data, error } = await register({ registerInput });
    if (data) return redirect.go(data.redirectUrl);
    const problem = asProblem(error);
    if (!problem) return;
    const { fields, rest } = splitByField(problem, ['login', 'password', 'accountName']);
    form.setErrors(fields);
    if (rest) setRefused(problem.message || t('Error:noAnswer'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Title order={1} fz={20}>
          {t('register')}
        </Title>
        {refused && (
          <Alert color="red" role="alert">
            {refused}
          </Alert>
        )}
        <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('login')} />
        <PasswordInput label={t('password')} description={t('passwordHint', { count: SHORTEST_PASSWORD })} autoComplete="new-password" required {...form.getInputProps('password')} />
        <TextInput label={t('accountName')} description={t('accountNameHint')} maxLength={32} {...form.getInputProps('accountName')} />
        <Button type="submit" loading={isLoading}>
          {t('register')}
        </Button>
        <Text size="sm" ta="center">
          {t('haveAccount')} <Anchor href={redirect.keep('/c/login')}>{t('login')}</Anchor>
        </Text>
      </Stack>
    </form>
  );
}
