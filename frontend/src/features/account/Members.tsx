import { Badge, Button, Group, NativeSelect, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import type { MemberData, Role } from '@/api/generated/accounts.gen';
import { Confirm } from '@/components/Confirm';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { useMember } from '@/lib/session';
import { fromNow } from '@/lib/format/time';

type Given = Exclude<Role, 'OWNER'>;
const GIVEN: Given[] = ['MLP_USER', 'MLP_DEVELOPER'];

/** The members of the account. Owners invite members, change their roles and remove them. */
export function Members() {
  const { t } = useTranslation('Account');
  const { account, user } = useMember();
  const { data, error, refetch } = accountsApi.useAccountsListMembersQuery({ account });
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('members')}</Title>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={80} />}
      {data && (
        <Table.ScrollContainer minWidth={480}>
          <Table>
            <Table.Tbody>
              {data.map((member) => (
                <MemberRow key={member.userId} member={member} account={account} mayChange={user.accountOwner && member.userId !== user.userId} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {user.accountOwner && <Invitations account={account} />}
    </Stack>
  );
}

function MemberRow({ member, account, mayChange }: { member: MemberData; account: string; mayChange: boolean }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [setRoles, changing] = accountsApi.useAccountsSetMemberRolesMutation();
  const [end] = accountsApi.useAccountsEndMembershipMutation();
  const [asking, setAsking] = useState(false);
  const role = GIVEN.findLast((given) => member.roles.includes(given)) ?? 'MLP_USER';
  const owner = member.roles.includes('OWNER');
  const change = async (chosen: Role) => void toast(t('failed'), (await setRoles({ account, userId: member.userId, rolesInput: { roles: [chosen] } })).error);
  const remove = async () => {
    const { error } = await end({ account, userId: member.userId });
    setAsking(false);
    toast(t('failed'), error);
  };
  return (
    <Table.Tr>
      <Table.Td>{member.login}</Table.Td>
      <Table.Td w={220}>
        {owner || !mayChange ? (
          <Badge variant="default">{t(`role.${owner ? 'OWNER' : role}`)}</Badge>
        ) : (
          <RoleChoice label={t('roleOf', { login: member.login })} value={role} disabled={changing.isLoading} onChange={(chosen) => void change(chosen)} />
        )}
      </Table.Td>
      <Table.Td ta="right" w={140}>
        {mayChange && !owner && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking(true)}>
            {t('remove')}
          </Button>
        )}
        <Confirm opened={asking} title={t('removeTitle', { login: member.login })} action={t('remove')} onClose={() => setAsking(false)} onConfirm={remove}>
          {t('removeHint')}
        </Confirm>
      </Table.Td>
    </Table.Tr>
  );
}

function RoleChoice({ label, value, disabled = false, onChange }: { label: string; value: Given; disabled?: boolean; onChange: (role: Given) => void }) {
  const { t } = useTranslation('Account');
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      disabled={disabled}
      data={GIVEN.map((role) => ({ value: role, label: t(`role.${role}`) }))}
      onChange={({ currentTarget }) => onChange(GIVEN.find((role) => role === currentTarget.value) ?? 'MLP_USER')}
    />
  );
}

function Invitations({ account }: { account: string }) {
  const { t, i18n } = useTranslation('Account');
  const toast = useProblemToast();
  const { data: sent = [] } = accountsApi.useAccountsListSentInvitationsQuery({ account });
  const [withdraw] = accountsApi.useAccountsWithdrawInvitationMutation();
  const [invite, { isLoading }] = accountsApi.useAccountsInviteToAccountMutation();
  const form = useForm<{ email: string; role: Given }>({ initialValues: { email: '', role: 'MLP_USER' }, validate: { email: (value) => (value.trim() ? null : t('Input:Required')) } });
  const refusal = useFormRefusal(form, { roles: 'role' });
  const submit = form.onSubmit(async ({ email, role }) => {
    refusal.clear();
    const { error } = await invite({ account, invitationInput: { email: email.trim(), roles: [role] } });
    if (refusal.show(error)) return;
    form.reset();
    toastDone(t('invited'));
  });
  return (
    <>
      {sent.map(({ id, email, createdAt }) => (
        <Group key={id} justify="space-between">
          <Text>
            {email}{' '}
            <Text span size="sm" c="dimmed">
              {t('invitedWhen', { when: fromNow(createdAt, i18n.language) })}
            </Text>
          </Text>
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => void withdraw({ account, id }).then(({ error }) => toast(t('failed'), error))}>
            {t('withdraw')}
          </Button>
        </Group>
      ))}
      <form onSubmit={submit} noValidate>
        <Stack gap="xs">
          <FormBanner refusal={refusal} />
          <Group align="flex-start">
            <TextInput aria-label={t('inviteEmail')} placeholder={t('inviteEmail')} type="email" maxLength={254} w={260} {...form.getInputProps('email')} />
            <RoleChoice label={t('inviteRole')} value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
            <Button type="submit" variant="default" loading={isLoading}>
              {t('invite')}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  );
}
