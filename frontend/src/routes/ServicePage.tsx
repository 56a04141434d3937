import { Button, Group, Skeleton } from '@mantine/core';
import { IconSettings, IconStar, IconStarFilled } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { useFavorite } from '@/features/catalogue/useFavorite';
import { ServiceHead } from '@/features/service/ServiceHead';
import { whileStarting } from '@/lib/polls';
import { type Session, useSession } from '@/lib/session';

import { ObjectProblem } from './ObjectProblem';
import { ServiceToCome } from './ServiceToCome';
import { Tried } from './Tried';

// The first tab comes with the page.
const AboutTab = lazy(async () => ({ default: (await import('@/features/service/AboutTab')).AboutTab }));
const ApiTab = lazy(async () => ({ default: (await import('@/features/service/ApiTab')).ApiTab }));

const TABS = ['testing', 'about', 'api'] as const;
type Tab = (typeof TABS)[number];

const POLL_MS = 15_000;

/** The public page of a service. */
export function ServicePage() {
  const { t } = useTranslation('Header');
  const { account = '', service = '', tab } = useParams();
  const {
    data: model,
    error,
    refetch,
  } = coreApi.useCoreGetModelInfoQuery(
    { account, model: service },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  coreApi.useCoreGetModelInfoQuery({ account, model: service }, whileStarting(model));
  const session = useSession();
  const problem = asProblem(error);
  if (problem && !model)
    return (
      <ObjectProblem
        problem={problem}
        name={`${account}/${service}`}
        crumbs={[{ text: t('catalog'), to: '/catalog' }]}
        again={() => void refetch()}
      />
    );
  // Who reads decides which buttons stand above the tabs.
  return model && session.state !== 'loading' ? (
    <Service session={session} model={model} account={account} tab={TABS.find((known) => known === tab) ?? 'testing'} />
  ) : (
    <ServiceToCome name={service} crumbs={[{ text: t('catalog'), to: '/catalog' }, { text: account }]} />
  );
}

function Service({
  session,
  model,
  account,
  tab,
}: {
  session: Session;
  model: ModelInfoData;
  account: string;
  tab: Tab;
}) {
  const { t } = useTranslation('Service');
  const owner = session.state === 'signed-in' && session.accountId === model.id.accountId;
  const title = model.displayName ?? model.modelName;
  const base = `/catalog/${encodeURIComponent(account)}/${encodeURIComponent(model.modelName)}`;
  return (
    <Page
      title={title}
      name={`${model.modelAccountName ?? account}/${model.modelName}`}
      crumbs={[
        { text: t('Header:catalog'), to: '/catalog' },
        { text: model.modelAccountDisplayName ?? model.modelAccountName ?? account },
        { text: title, to: base },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={<ServiceHead model={model} account={account} owner={owner} />}
      action={
        <Group gap="xs">
          <Copy value={`${window.location.origin}${base}`} label={t('copyLink')} />
          {session.state === 'signed-in' && <Favorite model={model} />}
          {owner && (
            <Button
              component={Link}
              to={`/workspace/model/${model.id.accountId}/${model.id.modelId}`}
              size="xs"
              leftSection={<IconSettings size={16} aria-hidden />}
            >
              {t('manage')}
            </Button>
          )}
        </Group>
      }
    >
      <RoutedTabs
        label={title}
        current={tab}
        tabs={TABS.map((name) => ({
          name,
          label: t(`tab.${name}`),
          to: name === 'testing' ? base : `${base}/${name}`,
        }))}
      >
        <Suspense fallback={<Skeleton h={420} />}>
          <Panel tab={tab} model={model} account={account} />
        </Suspense>
      </RoutedTabs>
    </Page>
  );
}

function Panel({ tab, model, account }: { tab: Tab; model: ModelInfoData; account: string }) {
  switch (tab) {
    case 'testing':
      return <Tried account={account} model={model} />;
    case 'about':
      return <AboutTab account={account} model={model} />;
    case 'api':
      return <ApiTab account={account} model={model} />;
  }
}

function Favorite({ model }: { model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  const { favorite, toggle, changing } = useFavorite(model);
  return (
    <Button
      size="xs"
      variant="default"
      loading={changing}
      aria-pressed={favorite}
      leftSection={favorite ? <IconStarFilled size={16} aria-hidden /> : <IconStar size={16} aria-hidden />}
      onClick={toggle}
    >
      {t(favorite ? 'removeFavorite' : 'addFavorite')}
    </Button>
  );
}
