import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import { useSession } from '@/lib/session';

import { Busy } from './Busy';
import { useRedirect } from './useRedirect';

export function SelectAccountPage() {
  const { t } = useTranslation('Accounts');
  useDocumentTitle(`${t('selectAccount')} · MLPlace`);
  const session = useSession();
  const redirect = useRedirect();
  if (session.state === 'loading') return <Busy />;
  if (session.state !== 'signed-in') {
    window.location.assign(redirect.keep('/c/login'));
    return <Busy />;
  }
  return <Choice userId={session.user.userId} />;
}

function Choice({ userId }: { userId: number }) {
  const { t } = useTranslation('Accounts');
  const redirect = useRedirect();
  const { data: accounts = [] } = accountsApi.useAccountsListAllowedAccountsQuery({ userId });
  const [select, { isLoading }] = accountsApi.useAccountsSelectAccountMutation();
  const [refused, setRefused] = useState<string | null>(null);
  const choose = async (accountId: number) => {
    const { error } = await select({ selectAccountInput: { accountId } });
    const problem = asProblem(error);
    if (problem) setRefused(problem.message);
    else redirect.go(null);
  };
  return (
    <Stack>
      <Title order={1} fz={20}>
        {t('selectAccount')}
      </Title>
      {refused && <Alert color="red">{refused}</Alert>}
      {accounts.map((account) => (
        <Button key={account.id} variant="default" justify="flex-start" disabled={!account.availableToSelect || isLoading} onClick={() => void choose(account.id)}>
          {account.name}
        </Button>
      ))}
      {accounts.length === 0 && <Text c="dimmed">{t('noAccounts')}</Text>}
      <Invitations userId={userId} />
    </Stack>
  );
}

function Invitations({ userId }: { userId: number }) {
  const { t } = useTranslation('Accounts');
  const { data: invitations = [] } = accountsApi.useAccountsGetInvitationsByUserQuery({ userId });
  const [accept] = accountsApi.useAccountsAcceptInvitationMutation();
  const [decline] = accountsApi.useAccountsDeclineInvitationMutation();
  return invitations.map(({ id, accountName }) => (
    <Group key={id} justify="space-between">
      <Text>{t('invitedTo', { account: accountName })}</Text>
      <Group gap="xs">
        <Button size="xs" onClick={() => void accept({ id })}>
          {t('accept')}
        </Button>
        <Button size="xs" variant="default" onClick={() => void decline({ id })}>
          {t('decline')}
        </Button>
      </Group>
    </Group>
  ));
}
