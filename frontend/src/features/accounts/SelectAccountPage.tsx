import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';
import { ProblemView } from '@/components/feedback/ProblemView';
import { domainOf } from '@/lib/accountCheck';
import { useBrand } from '@/lib/brand';
import { browser } from '@/lib/browser';

import { Busy } from './Busy';
import { useRedirect } from './useRedirect';

export function SelectAccountPage() {
  const { t } = useTranslation('Accounts');
  useDocumentTitle(`${t('selectAccount')} · ${useBrand().title}`);
  const redirect = useRedirect();
  const login = redirect.keep('/c/login');
  const { data: person, error, refetch } = accountsApi.useAccountsGetSignedInPersonQuery();
  const problem = asProblem(error);
  const nobody = problem?.status === 401;
  useEffect(() => {
    if (nobody) browser.go(login);
  }, [nobody, login]);
  if (problem && !nobody) return <ProblemView problem={problem} again={() => void refetch()} />;
  return person ? <Choice userId={person.userId} login={person.login} /> : <Busy />;
}

/** Accounts that can be selected on this host: a domain may be limited to a product or to owners. */
function useAccounts(userId: number) {
  const options = accountsApi.useAccountsGetPublicOptionsQuery();
  const domain = domainOf(options.data?.domains ?? [], window.location.hostname);
  return accountsApi.useAccountsListAllowedAccountsQuery(
    { userId, product: domain?.product ?? null },
    { skip: options.isLoading },
  );
}

function Choice({ userId, login }: { userId: number; login: string }) {
  const { t } = useTranslation('Accounts');
  const redirect = useRedirect();
  const { data: accounts, error, refetch } = useAccounts(userId);
  const [select, { isLoading, error: refused }] = accountsApi.useAccountsSelectAccountMutation();
  const choose = async (accountId: number) => {
    const { error: no } = await select({ selectAccountInput: { accountId } });
    if (!no) redirect.go(null);
  };
  const problem = asProblem(error);
  return (
    <Stack>
      <Title order={1} fz={20}>
        {t('selectAccount')}
      </Title>
      <Refused error={refused} />
      {problem && <ProblemView problem={problem} again={() => void refetch()} />}
      {!accounts && !problem && <Busy />}
      {accounts?.map((account) => (
        <Button
          key={account.id}
          variant="default"
          justify="flex-start"
          disabled={!account.availableToSelect || isLoading}
          onClick={() => void choose(account.id)}
        >
          {account.name}
        </Button>
      ))}
      {accounts?.length === 0 && <Text c="dimmed">{t('noAccounts')}</Text>}
      <Invitations userId={userId} />
      <Text size="sm" ta="center" c="dimmed">
        {login} · <Anchor href="/c/logout">{t('logout')}</Anchor>
      </Text>
    </Stack>
  );
}

function Invitations({ userId }: { userId: number }) {
  const { t } = useTranslation('Accounts');
  const { data: invitations = [] } = accountsApi.useAccountsGetInvitationsByUserQuery({ userId });
  const [accept, accepting] = accountsApi.useAccountsAcceptInvitationMutation();
  const [decline, declining] = accountsApi.useAccountsDeclineInvitationMutation();
  const busy = accepting.isLoading || declining.isLoading;
  return (
    <>
      <Refused error={accepting.error ?? declining.error} />
      {invitations.map(({ id, accountName }) => (
        <Group key={id} justify="space-between">
          <Text>{t('invitedTo', { account: accountName })}</Text>
          <Group gap="xs">
            <Button size="xs" disabled={busy} onClick={() => void accept({ id })}>
              {t('accept')}
            </Button>
            <Button size="xs" variant="default" disabled={busy} onClick={() => void decline({ id })}>
              {t('decline')}
            </Button>
          </Group>
        </Group>
      ))}
    </>
  );
}

function Refused({ error }: { error: Parameters<typeof asProblem>[0] }) {
  const problem = asProblem(error);
  return problem ? (
    <Alert color="red" role="alert">
      <ProblemSummary problem={problem} />
    </Alert>
  ) : null;
}
