import { Anchor, PasswordInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { EntryForm } from './EntryForm';
import { useRedirect } from './useRedirect';
import { useTurn } from './useTurn';

export const SHORTEST_PASSWORD = 8;

export function RegisterPage() {
  const { t, i18n } = useTranslation('Accounts');
  const redirect = useRedirect();
  const [register, { isLoading }] = accountsApi.useAccountsRegisterMutation();
  const form = useForm({
    initialValues: { login: '', password: '', accountName: '' },
    validate: {
      login: (value) => (value.trim() ? null : t('Input:Required')),
      password: (value) =>
        value.length >= SHORTEST_PASSWORD ? null : t('passwordShort', { count: SHORTEST_PASSWORD }),
    },
  });
  const refusal = useFormRefusal(form);
  const turn = useTurn();
  const submit = form.onSubmit(async ({ login, password, accountName }) => {
    refusal.clear();
    const registerInput = {
      login: login.trim(),
      password,
      accountName: accountName.trim() || null,
      language: i18n.language === 'ru' ? ('RU' as const) : ('EN' as const),
      redirectUrl: redirect.wanted,
    };
    const { data, error } = await register({ registerInput });
    if (data) return redirect.go(data.redirectUrl);
    if (!turn.begin(error)) refusal.show(error);
  }, refusal.showInvalid);
  return (
    <EntryForm
      title={t('register')}
      busy={isLoading}
      refusal={refusal}
      turn={turn}
      onSubmit={submit}
      foot={
        <Text size="sm" ta="center">
          {t('haveAccount')} <Anchor href={redirect.keep('/c/login')}>{t('login')}</Anchor>
        </Text>
      }
    >
      <TextInput label={t('email')} type="email" autoComplete="username" required {...form.getInputProps('login')} />
      <PasswordInput
        label={t('password')}
        description={t('passwordHint', { count: SHORTEST_PASSWORD })}
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
      <TextInput
        label={t('accountName')}
        description={t('accountNameHint')}
        maxLength={32}
        {...form.getInputProps('accountName')}
      />
    </EntryForm>
  );
}
