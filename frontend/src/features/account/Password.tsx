import { Button, PasswordInput, Stack, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

export function Password() {
  const { t } = useTranslation('Account');
  const [change, { isLoading }] = accountsApi.useAccountsChangePasswordMutation();
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (value) => (value ? null : t('Input:Required')),
      newPassword: (value) => (value ? null : t('Input:Required')),
    },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (changePasswordInput) => {
    refusal.clear();
    const { error } = await change({ changePasswordInput });
    if (refusal.show(error)) return;
    form.reset();
    toastDone(t('passwordChanged'));
  }, refusal.showInvalid);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('password')}</Title>
      <form onSubmit={submit} noValidate>
        <Stack maw={360}>
          <FormBanner refusal={refusal} />
          <PasswordInput
            label={t('currentPassword')}
            autoComplete="current-password"
            {...form.getInputProps('currentPassword')}
          />
          <PasswordInput label={t('newPassword')} autoComplete="new-password" {...form.getInputProps('newPassword')} />
          <Button type="submit" variant="default" w="fit-content" loading={isLoading}>
            {t('changePassword')}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}
