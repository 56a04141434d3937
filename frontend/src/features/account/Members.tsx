import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { MemberData, Role, SentInvitation } from '@/api/generated/accounts.gen';
import { Confirm } from '@/components/Confirm';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { useMember } from '@/lib/session';

type Given = Exclude<Role, 'OWNER'>;
const GIVEN: Given[] = ['MLP_USER', 'MLP_DEVELOPER'];

/** A member, or who is invited to become one. */
type Person = { login: string; member: MemberData } | { login: string; invitation: SentInvitation };

const ROLES: Role[] = ['OWNER', 'MLP_DEVELOPER', 'MLP_USER'];
const SORT = { fields: ['login'], initial: { field: 'login', descending: false } };
const HOW = { text: ({ login }: Person) => login, orders: { login: (one: Person, other: Person) => one.login.localeCompare(other.login) } };
const SEARCHED_FROM = 10;

const roleOf = (roles: readonly Role[]): Role => ROLES.find((role) => roles.includes(role)) ?? 'MLP_USER';

/** The members of the user's own account. Owners invite members, change their roles and remove them. */
export function Members() {
  const { account, user } = useMember();
  return <People account={account} managedBy={user.accountOwner ? user.userId : null} withInvitations={user.accountOwner} />;
}

interface PeopleProps {
  account: string;
  /** The user who invites, changes and removes the others; null: the list is only read. */
  managedBy: number | null;
  /** Only owners and superadmins may read who is invited. */
  withInvitations: boolean;
}

/** The members of an account, and who is invited to become one. */
export function People({ account, managedBy, withInvitations }: PeopleProps) {
  const { t } = useTranslation('Account');
  const query = accountsApi.useAccountsListMembersQuery({ account });
  const { data: invitations = [] } = accountsApi.useAccountsListSentInvitationsQuery({ account }, { skip: !withInvitations });
  const state = useListState({ filters: { role: ROLES }, sort: SORT });
  const people: Person[] | undefined = query.data && [
    ...query.data.map((member) => ({ login: member.login, member })),
    ...invitations.map((invitation) => ({ login: invitation.email, invitation })),
  ];
  const part = people && listPart(people.filter((one) => !state.filters.role || ('member' in one && roleOf(one.member.roles) === state.filters.role)), state, HOW);
  const many = state.narrowed || (people?.length ?? 0) >= SEARCHED_FROM;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('members')}</Title>
      {managedBy !== null && <Invite account={account} />}
      <List<Person, 'role'>
        label={t('members')}
        query={query}
        {...part}
        rows={part?.rows}
        state={state}
        search={many ? t('searchMembers') : undefined}
        filters={many ? [{ name: 'role', label: t('inviteRole'), options: ROLES.map((role) => ({ value: role, label: t(`role.${role}`) })) }] : []}
        columns={useColumns(account, managedBy, many)}
        rowKey={(one) => ('member' in one ? `member ${one.member.userId}` : `invitation ${one.invitation.id}`)}
        rowName={({ login }) => login}
        expected={2}
        empty={{ title: t('noMembers'), hint: t('noMembersHint') }}
      />
    </Stack>
  );
}

function useColumns(account: string, managedBy: number | null, sortable: boolean): Column<Person>[] {
  const { t } = useTranslation('Account');
  const mayChange = (one: Person) => managedBy !== null && (!('member' in one) || (one.member.userId !== managedBy && !one.member.roles.includes('OWNER')));
  const actions: Column<Person> = {
    name: 'actions',
    label: t('actions'),
    width: 140,
    actions: true,
    cell: (one) => mayChange(one) && ('member' in one ? <Removal account={account} member={one.member} /> : <Withdrawal account={account} invitation={one.invitation} />),
  };
  return [
    { name: 'login', label: t('field.email'), sortable, cell: ({ login }) => login },
    { name: 'role', label: t('inviteRole'), width: 220, cell: (one) => ('member' in one ? <MemberRole account={account} member={one.member} mayChange={mayChange(one)} /> : <Invited invitation={one.invitation} />) },
    ...(managedBy === null ? [] : [actions]),
  ];
}

function Invited({ invitation }: { invitation: SentInvitation }) {
  const { t } = useTranslation('Account');
  return (
    <Text span size="sm" c="dimmed">
      {t('invitedSince')} <When at={invitation.createdAt} />
    </Text>
  );
}

function MemberRole({ member, account, mayChange }: { member: MemberData; account: string; mayChange: boolean }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [setRoles, changing] = accountsApi.useAccountsSetMemberRolesMutation();
  const role = roleOf(member.roles);
  const change = async (chosen: Role) => void toast(t('failed'), (await setRoles({ account, userId: member.userId, rolesInput: { roles: [chosen] } })).error);
  if (!mayChange || role === 'OWNER') return <Badge variant="default">{t(`role.${role}`)}</Badge>;
  return <RoleChoice label={t('roleOf', { login: member.login })} value={role} disabled={changing.isLoading} onChange={(chosen) => void change(chosen)} />;
}

function Removal({ member, account }: { member: MemberData; account: string }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [end] = accountsApi.useAccountsEndMembershipMutation();
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    const { error } = await end({ account, userId: member.userId });
    setAsking(false);
    toast(t('failed'), error);
  };
  return (
    <>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking(true)}>
        {t('remove')}
      </Button>
      <Confirm opened={asking} title={t('removeTitle', { login: member.login })} action={t('remove')} onClose={() => setAsking(false)} onConfirm={remove}>
        {t('removeHint')}
      </Confirm>
    </>
  );
}

function Withdrawal({ account, invitation: { id } }: { account: string; invitation: SentInvitation }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [withdraw, { isLoading }] = accountsApi.useAccountsWithdrawInvitationMutation();
  return (
    <Button size="compact-sm" variant="subtle" color="red" loading={isLoading} onClick={() => void withdraw({ account, id }).then(({ error }) => toast(t('failed'), error))}>
      {t('withdraw')}
    </Button>
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

function Invite({ account }: { account: string }) {
  const { t } = useTranslation('Account');
  const [invite, { isLoading }] = accountsApi.useAccountsInviteToAccountMutation();
  const form = useForm<{ email: string; role: Given }>({ initialValues: { email: '', role: 'MLP_USER' }, validate: { email: (value) => (value.trim() ? null : t('Input:Required')) } });
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
          <TextInput aria-label={t('inviteEmail')} placeholder={t('inviteEmail')} type="email" maxLength={254} w={260} {...form.getInputProps('email')} />
          <RoleChoice label={t('inviteRole')} value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
          <Button type="submit" variant="default" loading={isLoading}>
            {t('invite')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
