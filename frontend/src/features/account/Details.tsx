import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, coreApi } from '@/api';
import type { AccountDetails } from '@/api/generated/accounts.gen';
import { Copy } from '@/components/code/Copy';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useMember } from '@/lib/session';

export function Details() {
  const { account, user } = useMember();
  const { data, error, refetch } = accountsApi.useAccountsGetAccountQuery({ account });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={330} maw={560} />;
  return (
    <Stack maw={560}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Fact name="id" value={String(data.accountId)} />
        <Fact name="shortName" value={data.shortName} />
      </SimpleGrid>
      <DetailsForm details={data} owner={user.accountOwner} />
    </Stack>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  const { t } = useTranslation('Account');
  return (
    <div>
      <Text size="sm" fw={500}>
        {t(name)}
      </Text>
      <Group gap={4}>
        <Text ff="monospace">{value}</Text>
        <Copy value={value} />
      </Group>
    </div>
  );
}

function DetailsForm({ details, owner }: { details: AccountDetails; owner: boolean }) {
  const { t } = useTranslation('Account');
  const [update, { isLoading }] = accountsApi.useAccountsUpdateAccountMutation();
  const form = useForm({ initialValues: { displayName: '', email: '', language: details.language } });
  const refusal = useFormRefusal(form);
  const { setValues, resetDirty } = form;
  useEffect(() => {
    const values = { displayName: details.displayName, email: details.email, language: details.language };
    setValues(values);
    resetDirty(values);
  }, [details, setValues, resetDirty]);
  const submit = form.onSubmit(async (accountInput) => {
    refusal.clear();
    const { error } = await update({ account: String(details.accountId), accountInput });
    if (!refusal.show(error)) toastDone(t('saved'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput label={t('displayName')} required maxLength={128} readOnly={!owner} {...form.getInputProps('displayName')} />
        <TextInput label={t('email')} type="email" required maxLength={254} readOnly={!owner} {...form.getInputProps('email')} />
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('language')}
          </Text>
          <SegmentedControl aria-label={t('language')} readOnly={!owner} data={[{ value: 'RU', label: 'Русский' }, { value: 'EN', label: 'English' }]} {...form.getInputProps('language')} />
        </div>
        {owner && (
          <Button type="submit" w="fit-content" loading={isLoading} disabled={!form.isDirty()}>
            {t('save')}
          </Button>
        )}
      </Stack>
    </form>
  );
}

const LIMITS = ['baseModelInstanceLimit', 'derivedModelInstanceLimit', 'gpuModelInstanceLimit', 'cpuLimit', 'memoryLimit', 'ephemeralDiskLimit', 'storageLimit', 'predictPerSec', 'fitPerMinute'] as const;

/** The account's limits in public groups. Only the team can raise them. */
export function Limits() {
  const { t } = useTranslation('Account');
  const { account } = useMember();
  const { data, error } = coreApi.useCoreEnsureAccountWithIdQuery({ account });
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('limits')}</Title>
      {problem && !data && <ProblemView problem={problem} />}
      {!data && !problem && <Skeleton h={150} />}
      {data && (
        <SimpleGrid cols={{ base: 2, sm: 3 }} component="dl" m={0}>
          {LIMITS.map((name) => (
            <div key={name}>
              <Text size="sm" c="dimmed" component="dt">
                {t(`limit.${name}`)}
              </Text>
              <Text ff="monospace" component="dd" m={0}>
                {data.limits[name] ?? '–'}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}
