import { Badge, Button, Group, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, splitByField } from '@/api';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/ProblemView';
import { toastDone, toastErrorOnce } from '@/components/Toasts';
import { useMember } from '@/lib/session';
import { formatMoment, fromNow } from '@/lib/time';

export function AccountInfoPage() {
  const { t } = useTranslation('Account');
  return (
    <Page title={t('title')}>
      <Details />
      <Sessions />
    </Page>
  );
}

function Details() {
  const { t } = useTranslation('Account');
  const { account } = useMember();
  const { data, error, refetch } = accountsApi.useAccountsGetAccountQuery({ account });
  const [update, { isLoading }] = accountsApi.useAccountsUpdateAccountMutation();
  const form = useForm({ initialValues: { displayName: '', email: '' } });
  const { setValues, resetDirty } = form;
  useEffect(() => {
    if (!data) return;
    const values = { displayName: data.displayName, email: data.email };
    setValues(values);
    resetDirty(values);
  }, [data, setValues, resetDirty]);
  const submit = form.onSubmit(async (accountInput) => {
    const { error: refused } = await update({ account, accountInput });
    const problem = asProblem(refused);
    if (!problem) return toastDone(t('saved'));
    const { fields, rest } = splitByField(problem, ['displayName', 'email']);
    form.setErrors(fields);
    if (rest) toastErrorOnce(t('failed'), problem.message);
  });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={200} maw={560} />;
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <Group gap="xs">
          <Text ff="monospace">{data.shortName}</Text>
          <Badge variant="default">{data.accountId}</Badge>
        </Group>
        <TextInput label={t('displayName')} required maxLength={128} {...form.getInputProps('displayName')} />
        <TextInput label={t('email')} type="email" required maxLength={254} {...form.getInputProps('email')} />
        <Button type="submit" w="fit-content" loading={isLoading} disabled={!form.isDirty()}>
          {t('save')}
        </Button>
      </Stack>
    </form>
  );
}

function Sessions() {
  const { t, i18n } = useTranslation('Account');
  const { data = [] } = accountsApi.useAccountsListSessionsQuery();
  const [end] = accountsApi.useAccountsEndSessionMutation();
  const [endOthers, { isLoading }] = accountsApi.useAccountsEndOtherSessionsMutation();
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t('sessions')}</Title>
        {data.length > 1 && (
          <Button variant="default" size="xs" loading={isLoading} onClick={() => void endOthers()}>
            {t('endOthers')}
          </Button>
        )}
      </Group>
      <Table.ScrollContainer minWidth={480}>
        <Table>
          <Table.Tbody>
            {data.map((session) => (
              <Table.Tr key={session.id}>
                <Table.Td>{session.address}</Table.Td>
                <Table.Td maw={320}>
                  <Text truncate="end">{session.userAgent}</Text>
                </Table.Td>
                <Table.Td title={formatMoment(session.lastSeenAt)}>{fromNow(session.lastSeenAt, i18n.language)}</Table.Td>
                <Table.Td ta="right">
                  {session.current ? (
                    <Badge variant="default">{t('thisOne')}</Badge>
                  ) : (
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => void end({ sessionId: session.id })}>
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
