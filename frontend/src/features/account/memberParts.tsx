import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { MemberData, Role, SentInvitation } from '@/api/generated/accounts.gen';
import { Confirm } from '@/components/Confirm';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { When } from '@/components/format/When';

import { RoleChoice } from './RoleChoice';
import { roleOf } from './roles';

export function Invited({ invitation }: { invitation: SentInvitation }) {
  const { t } = useTranslation('Account');
  return (
    <Text span size="sm" c="dimmed">
      {t('invitedSince')} <When at={invitation.createdAt} />
    </Text>
  );
}

export function MemberRole({
  member,
  account,
  mayChange,
}: {
  member: MemberData;
  account: string;
  mayChange: boolean;
}) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [setRoles, changing] = accountsApi.useAccountsSetMemberRolesMutation();
  const role = roleOf(member.roles);
  const change = async (chosen: Role) =>
    void toast(
      t('failed'),
      (await setRoles({ account, userId: member.userId, rolesInput: { roles: [chosen] } })).error,
    );
  if (!mayChange || role === 'OWNER') return <Badge variant="default">{t(`role.${role}`)}</Badge>;
  return (
    <RoleChoice
      label={t('roleOf', { login: member.login })}
      value={role}
      disabled={changing.isLoading}
      onChange={(chosen) => void change(chosen)}
    />
  );
}

export function Removal({ member, account }: { member: MemberData; account: string }) {
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
      <Confirm
        opened={asking}
        title={t('removeTitle', { login: member.login })}
        action={t('remove')}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        {t('removeHint')}
      </Confirm>
    </>
  );
}

export function Withdrawal({ account, invitation: { id } }: { account: string; invitation: SentInvitation }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [withdraw, { isLoading }] = accountsApi.useAccountsWithdrawInvitationMutation();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      loading={isLoading}
      onClick={() => void withdraw({ account, id }).then(({ error }) => toast(t('failed'), error))}
    >
      {t('withdraw')}
    </Button>
  );
}
