import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/Copy';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/ProblemView';
import { StateDot } from '@/components/StateDot';
import { toastErrorOnce } from '@/components/Toasts';
import { Diagnostics } from '@/features/diagnostics/Diagnostics';
import { Playground } from '@/features/playground/Playground';
import { AboutTab } from '@/features/service/AboutTab';
import { ApiTab } from '@/features/service/ApiTab';
import { useSession } from '@/lib/session';

const STATUS_POLL_MS = 5000;

export function ServicePage() {
  const { account = '', service = '', tab = 'testing' } = useParams();
  const { data: model, error, refetch } = coreApi.useCoreGetModelInfoQuery({ account, model: service });
  const problem = asProblem(error);
  if (problem && !model) {
    return (
      <Page title={service}>
        <ProblemView problem={problem} again={() => void refetch()} />
      </Page>
    );
  }
  return model ? <Service model={model} account={account} tab={tab} /> : <Waiting name={service} />;
}

function Service({ model, account, tab }: { model: ModelInfoData; account: string; tab: string }) {
  const { t } = useTranslation('Service');
  const navigate = useNavigate();
  const session = useSession();
  const owner = session.state === 'signed-in' && session.accountId === model.id.accountId;
  const base = `/catalog/${account}/${model.modelName}`;
  const fullName = `${model.modelAccountName ?? account}/${model.modelName}`;
  return (
    <Page
      title={model.displayName ?? model.modelName}
      subtitle={
        <Group gap={4}>
          <Text ff="monospace" size="sm" span>
            {fullName}
          </Text>
          <Copy value={fullName} />
          <Status account={account} model={model} />
        </Group>
      }
      action={session.state === 'signed-in' ? <Favorite model={model} account={account} /> : null}
    >
      <Tabs value={tab} onChange={(value) => void navigate(value === 'testing' ? base : `${base}/${value ?? ''}`)} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="testing">{t('tab.testing')}</Tabs.Tab>
          <Tabs.Tab value="api">{t('tab.api')}</Tabs.Tab>
          <Tabs.Tab value="about">{t('tab.about')}</Tabs.Tab>
          {owner && <Tabs.Tab value="diagnostics">{t('tab.diagnostics')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="testing">
          {session.state === 'signed-in' ? (
            <Playground account={account} model={model.modelName} taskType={model.taskType} owner={owner} />
          ) : (
            <SignInToTry />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="api">
          <ApiTab account={account} model={model.modelName} taskType={model.taskType} />
        </Tabs.Panel>
        <Tabs.Panel value="about">
          <AboutTab model={model} account={account} />
        </Tabs.Panel>
        {owner && (
          <Tabs.Panel value="diagnostics">
            <Diagnostics account={account} model={model} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Page>
  );
}

function Status({ account, model }: { account: string; model: ModelInfoData }) {
  const { data } = coreApi.useCoreGetModelStatusQuery(
    { account, model: model.modelName },
    { pollingInterval: STATUS_POLL_MS, skipPollingIfUnfocused: true },
  );
  return <StateDot state={data?.state ?? model.state} />;
}

function Favorite({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const [set, { isLoading }] = coreApi.useCoreSetFavoriteMutation();
  const toggle = async () => {
    const { error } = await set({ account, model: model.modelName, body: !model.favorite });
    if (error) toastErrorOnce(t('favoriteFailed'), asProblem(error)?.message ?? '');
  };
  return (
    <Button
      variant="default"
      loading={isLoading}
      aria-pressed={model.favorite}
      leftSection={model.favorite ? <IconStarFilled size={16} aria-hidden /> : <IconStar size={16} aria-hidden />}
      onClick={() => void toggle()}
    >
      {t(model.favorite ? 'removeFavorite' : 'addFavorite')}
    </Button>
  );
}

function SignInToTry() {
  const { t } = useTranslation('Service');
  const back = encodeURIComponent(window.location.pathname);
  return (
    <Stack align="flex-start" gap="sm">
      <Text>{t('signInToTry')}</Text>
      <Group>
        <Button component="a" href={`/c/login?redirectUrl=${back}`}>
          {t('signIn')}
        </Button>
        <Button component="a" variant="default" href={`/c/register?redirectUrl=${back}`}>
          {t('signUp')}
        </Button>
      </Group>
    </Stack>
  );
}

function Waiting({ name }: { name: string }) {
  return (
    <Page title={name}>
      <Stack aria-busy="true">
        <Skeleton h={40} w={320} />
        <Skeleton h={320} />
      </Stack>
    </Page>
  );
}
