import { Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, coreApi } from '@/api';
import type { FeatureData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useRightName } from '@/lib/rights';

import { ReasonDialog } from './ReasonDialog';

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
  const [block] = accountsApi.useAccountsBlockAccountMutation();
  const [unblock] = accountsApi.useAccountsUnblockAccountMutation();
  // What was asked stays while the dialog closes, though the account has changed then.
  const [asked, setAsked] = useState<'block' | 'unblock'>('block');
  const [opened, setOpened] = useState(false);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={36} />;
  const next = data.active ? 'block' : 'unblock';
  return (
    <Stack gap="sm" component="section" aria-label={t('access')}>
      <Group justify="space-between" maw={560}>
        <Text>{t(data.active ? 'active' : 'blocked')}</Text>
        <Button
          variant="default"
          onClick={() => {
            setAsked(next);
            setOpened(true);
          }}
        >
          {t(next)}
        </Button>
      </Group>
      <ReasonDialog
        opened={opened}
        title={t(`blocking.${asked}.title`)}
        action={t(asked)}
        danger={asked === 'block'}
        change={(reason) => (asked === 'block' ? block : unblock)({ account, body: { reason } })}
        onClose={() => setOpened(false)}
      >
        {t(`blocking.${asked}.text`)}
      </ReasonDialog>
    </Stack>
  );
}

function Features({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error, refetch } = coreApi.useCoreGetAccountFeaturesQuery({ account });
  const [update] = coreApi.useCoreUpdateFeaturesMutation();
  const [asked, setAsked] = useState<FeatureData | null>(null);
  const [opened, setOpened] = useState(false);
  const named = useRightName();
  const problem = asProblem(error);
  const change = async (feature: FeatureData, reason: string) => {
    const result = await update({ account, accountFeatureUpdate: { features: [feature], reason } });
    if (!result.error) await refetch();
    return result;
  };
  const switching = asked?.enabled === false ? 'off' : 'on';
  return (
    <Stack gap="sm" component="section" aria-label={t('features')}>
      <Title order={2} size="h3">
        {t('features')}
      </Title>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={280} />}
      {data?.features.length === 0 && <Text c="dimmed">{t('noFeatures')}</Text>}
      {data?.features.map(({ name, enabled }) => (
        <Switch
          key={name}
          label={named(name)}
          description={named(name) === name ? undefined : name}
          checked={enabled}
          onChange={({ currentTarget }) => {
            setAsked({ name, enabled: currentTarget.checked });
            setOpened(true);
          }}
        />
      ))}
      <ReasonDialog
        opened={opened}
        title={asked ? named(asked.name) : ''}
        action={t(`switching.${switching}.action`)}
        change={async (reason) => (asked ? change(asked, reason) : {})}
        onClose={() => setOpened(false)}
      >
        {t(`switching.${switching}.text`)}
      </ReasonDialog>
    </Stack>
  );
}
