import { Anchor, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { browser } from '@/lib/browser';

import { EntryForm } from './EntryForm';
import { useRedirect } from './useRedirect';
import { useTurn } from './useTurn';

export function LoginPage() {
  const { t } = useTranslation('Accounts');
  const redirect = useRedirect();
  const [signIn, { isLoading }] = accountsApi.useAccountsSignInMutation();
  const form = useForm({
    initialValues: { login: '', password: '' },
    onValuesChange: () => turn.hold(),
    validate: {
      login: (value) => (value.trim() ? null : t('Input:Required')),
      password: (value) => (value ? null : t('Input:Required')),
    },
  });
  const refusal = useFormRefusal(form);
  const send = async ({ login, password }: typeof form.values) => {
    refusal.clear();
    const { data, error } = await signIn({
      loginInput: { login: login.trim(), password, redirectUrl: redirect.wanted },
    });
    if (data)
      return data.accountId === null ? browser.go(redirect.keep('/c/select-account')) : redirect.go(data.redirectUrl);
    if (!turn.begin(error)) refusal.show(error);
  };
  const submit = form.onSubmit(send, refusal.showInvalid);
  const turn = useTurn(() => submit());
  return (
    <EntryForm
      title={t('login')}
      busy={isLoading}
      refusal={refusal}
      turn={turn}
      onSubmit={submit}
      foot={
        <Stack gap={4} align="center">
          <Anchor size="sm" href={redirect.keep('/c/forgot-password')}>
            {t('forgot')}
          </Anchor>
          <Text size="sm">
            {t('noAccount')} <Anchor href={redirect.keep('/c/register')}>{t('register')}</Anchor>
          </Text>
        </Stack>
      }
    >
      <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('login')} />
      <PasswordInput
        label={t('password')}
        autoComplete="current-password"
        required
        {...form.getInputProps('password')}
      />
    </EntryForm>
  );
}
