import { Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, coreApi } from '@/api';
import type { AccountFeatureData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useRefusal } from '@/components/feedback/useRefusal';
import { useRightName } from '@/lib/rights';

/** Whether an account may be used, and which features it has. */
export function Access({ account }: { account: string }) {
  return (
    <Stack gap="xl">
      <Activity account={account} />
      <Features account={account} />
    </Stack>
  );
}

function Activity({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error, refetch } = accountsApi.useAccountsGetAccountQuery({ account });
  const [block, blocking] = accountsApi.useAccountsBlockAccountMutation();
  const [unblock, unblocking] = accountsApi.useAccountsUnblockAccountMutation();
  const refusal = useRefusal();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={36} />;
  const change = async () => {
    refusal.clear();
    const result = await (data.active ? block({ account }) : unblock({ account }));
    refusal.show(result.error);
  };
  return (
    <Stack gap="sm" component="section" aria-label={t('access')}>
      <FormBanner refusal={refusal} />
      <Group justify="space-between" maw={560}>
        <Text>{t(data.active ? 'active' : 'blocked')}</Text>
        <Button color={data.active ? 'red' : undefined} variant="default" loading={blocking.isLoading || unblocking.isLoading} onClick={() => void change()}>
          {t(data.active ? 'block' : 'unblock')}
        </Button>
      </Group>
    </Stack>
  );
}

function Features({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error, refetch } = coreApi.useCoreGetAccountFeaturesQuery({ account });
  const [update, { isLoading }] = coreApi.useCoreUpdateFeaturesMutation();
  const named = useRightName();
  const refusal = useRefusal();
  const problem = asProblem(error);
  const change = async (features: AccountFeatureData['features']) => {
    refusal.clear();
    const result = await update({ account, accountFeatureData: { features } });
    if (!refusal.show(result.error)) await refetch();
  };
  return (
    <Stack gap="sm" component="section" aria-label={t('features')}>
      <Title order={2} size="h3">
        {t('features')}
      </Title>
      <FormBanner refusal={refusal} />
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={280} />}
      {data?.features.length === 0 && <Text c="dimmed">{t('noFeatures')}</Text>}
      {data?.features.map(({ name, enabled }) => (
        <Switch
          key={name}
          label={named(name)}
          description={named(name) === name ? undefined : name}
          checked={enabled}
          disabled={isLoading}
          onChange={({ currentTarget }) => void change([{ name, enabled: currentTarget.checked }])}
        />
      ))}
    </Stack>
  );
}
