import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { MemberData, SentInvitation } from '@/api/generated/accounts.gen';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { listPart } from '@/components/list/listPart';
import { useListState } from '@/components/list/useListState';
import { useMember } from '@/lib/session';

import { Invite } from './Invite';
import { Invited, MemberRole, Removal, Withdrawal } from './memberParts';
import { roleOf, ROLES } from './roles';

/** A member, or who is invited to become one. */
type Person = { login: string; member: MemberData } | { login: string; invitation: SentInvitation };

const SORT = { fields: ['login'], initial: { field: 'login', descending: false } };
const HOW = {
  text: ({ login }: Person) => login,
  orders: { login: (one: Person, other: Person) => one.login.localeCompare(other.login) },
};
const SEARCHED_FROM = 10;

/** The members of the user's own account. Owners invite members, change their roles and remove them. */
export function Members() {
  const { account, user } = useMember();
  return (
    <People account={account} managedBy={user.accountOwner ? user.userId : null} withInvitations={user.accountOwner} />
  );
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
  const { data: invitations = [] } = accountsApi.useAccountsListSentInvitationsQuery(
    { account },
    { skip: !withInvitations },
  );
  const state = useListState({ filters: { role: ROLES }, sort: SORT });
  const people: Person[] | undefined = query.data && [
    ...query.data.map((member) => ({ login: member.login, member })),
    ...invitations.map((invitation) => ({ login: invitation.email, invitation })),
  ];
  const part =
    people &&
    listPart(
      people.filter(
        (one) => !state.filters.role || ('member' in one && roleOf(one.member.roles) === state.filters.role),
      ),
      state,
      HOW,
    );
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
        filters={
          many
            ? [
                {
                  name: 'role',
                  label: t('inviteRole'),
                  options: ROLES.map((role) => ({ value: role, label: t(`role.${role}`) })),
                },
              ]
            : []
        }
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
  const mayChange = (one: Person) =>
    managedBy !== null &&
    (!('member' in one) || (one.member.userId !== managedBy && !one.member.roles.includes('OWNER')));
  const actions: Column<Person> = {
    name: 'actions',
    label: t('actions'),
    width: 140,
    actions: true,
    cell: (one) =>
      mayChange(one) &&
      ('member' in one ? (
        <Removal account={account} member={one.member} />
      ) : (
        <Withdrawal account={account} invitation={one.invitation} />
      )),
  };
  return [
    { name: 'login', label: t('field.email'), sortable, cell: ({ login }) => login },
    {
      name: 'role',
      label: t('inviteRole'),
      width: 220,
      cell: (one) =>
        'member' in one ? (
          <MemberRole account={account} member={one.member} mayChange={mayChange(one)} />
        ) : (
          <Invited invitation={one.invitation} />
        ),
    },
    ...(managedBy === null ? [] : [actions]),
  ];
}
