import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { type Given, RoleChoice } from './RoleChoice';

/** Invites somebody to the account, by their address. */
export function Invite({ account }: { account: string }) {
  const { t } = useTranslation('Account');
  const [invite, { isLoading }] = accountsApi.useAccountsInviteToAccountMutation();
  const form = useForm<{ email: string; role: Given }>({
    initialValues: { email: '', role: 'MLP_USER' },
    validate: { email: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form, { roles: 'role' });
  const submit = form.onSubmit(async ({ email, role }) => {
    refusal.clear();
    const { error } = await invite({ account, invitationInput: { email: email.trim(), roles: [role] } });
    if (refusal.show(error)) return;
    form.reset();
    toastDone(t('invited'));
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <FormBanner refusal={refusal} />
        <Group align="flex-start">
          <TextInput
            aria-label={t('inviteEmail')}
            placeholder={t('inviteEmail')}
            type="email"
            maxLength={254}
            w={260}
            {...form.getInputProps('email')}
          />
          <RoleChoice
            label={t('inviteRole')}
            value={form.values.role}
            onChange={(role) => form.setFieldValue('role', role)}
          />
          <Button type="submit" variant="default" loading={isLoading}>
            {t('invite')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
