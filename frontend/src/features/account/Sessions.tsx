import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi } from '@/api';
import type { SessionData } from '@/api/generated/accounts.gen';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';

import { programOf } from './programs';

export function Sessions() {
  const { t } = useTranslation('Account');
  const query = accountsApi.useAccountsListSessionsQuery();
  const { data } = query;
  const nameOf = useProgramName();
  const toast = useProblemToast();
  const [endOthers, { isLoading }] = accountsApi.useAccountsEndOtherSessionsMutation();
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('sessions')}</Title>
        {(data?.length ?? 0) > 1 && (
          <Button
            variant="default"
            size="xs"
            loading={isLoading}
            onClick={() => void endOthers().then(({ error }) => toast(t('failed'), error))}
          >
            {t('endOthers')}
          </Button>
        )}
      </Group>
      <List
        label={t('sessions')}
        query={query}
        rows={data}
        columns={useColumns()}
        rowKey={({ id }) => String(id)}
        rowName={nameOf}
        expected={2}
        empty={{ title: t('noSessions'), hint: t('noSessionsHint') }}
      />
    </Stack>
  );
}

function useProgramName(): (session: SessionData) => string {
  const { t } = useTranslation('Account');
  return ({ userAgent }) => programOf(userAgent) ?? t('unknownProgram');
}

function useColumns(): Column<SessionData>[] {
  const { t } = useTranslation('Account');
  const nameOf = useProgramName();
  return [
    {
      name: 'program',
      label: t('program'),
      cell: (session) => <span title={session.userAgent}>{nameOf(session)}</span>,
    },
    {
      name: 'address',
      label: t('address'),
      width: 200,
      cell: ({ address }) => (
        <Text span inherit ff="monospace">
          {address}
        </Text>
      ),
    },
    { name: 'seen', label: t('lastSeen'), width: 160, cell: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
    {
      name: 'actions',
      label: t('actions'),
      width: 140,
      actions: true,
      cell: (session) =>
        session.current ? <Badge variant="default">{t('thisOne')}</Badge> : <End session={session} />,
    },
  ];
}

function End({ session: { id } }: { session: SessionData }) {
  const { t } = useTranslation('Account');
  const toast = useProblemToast();
  const [end, { isLoading }] = accountsApi.useAccountsEndSessionMutation();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      loading={isLoading}
      onClick={() => void end({ sessionId: id }).then(({ error }) => toast(t('failed'), error))}
    >
      {t('end')}
    </Button>
  );
}
