import { Badge, Button, Group, Skeleton, Stack, Table, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { When } from '@/components/format/When';

import { programOf } from './programs';

export function Sessions() {
  const { t } = useTranslation('Account');
  const { data, error, refetch } = accountsApi.useAccountsListSessionsQuery();
  const toast = useProblemToast();
  const problem = asProblem(error);
  const [end] = accountsApi.useAccountsEndSessionMutation();
  const [endOthers, { isLoading }] = accountsApi.useAccountsEndOtherSessionsMutation();
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('sessions')}</Title>
        {(data?.length ?? 0) > 1 && (
          <Button variant="default" size="xs" loading={isLoading} onClick={() => void endOthers().then(({ error: no }) => toast(t('failed'), no))}>
            {t('endOthers')}
          </Button>
        )}
      </Group>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={80} />}
      <Table.ScrollContainer minWidth={480}>
        <Table>
          <Table.Tbody>
            {data?.map((session) => (
              <Table.Tr key={session.id}>
                <Table.Td title={session.userAgent}>{programOf(session.userAgent) ?? t('unknownProgram')}</Table.Td>
                <Table.Td c="dimmed">{session.address}</Table.Td>
                <Table.Td>
                  <When at={session.lastSeenAt} />
                </Table.Td>
                <Table.Td ta="right">
                  {session.current ? (
                    <Badge variant="default">{t('thisOne')}</Badge>
                  ) : (
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => void end({ sessionId: session.id }).then(({ error: no }) => toast(t('failed'), no))}>
                      {t('end')}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
