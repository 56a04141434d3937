import { Button, Group, Skeleton, Stack, Tabs } from '@mantine/core';
import { IconSettings, IconStar, IconStarFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import type { Crumb } from '@/components/Breadcrumbs';
import { Copy } from '@/components/code/Copy';
import { Page } from '@/components/Page';
import { useFavorite } from '@/features/catalogue/useFavorite';
import { AboutTab } from '@/features/service/AboutTab';
import { ApiTab } from '@/features/service/ApiTab';
import { ServiceHead } from '@/features/service/ServiceHead';
import { useSession } from '@/lib/session';

import { ObjectProblem } from './ObjectProblem';
import classes from './ServicePage.module.css';
import { Tried } from './Tried';

const TABS = ['testing', 'about', 'api'] as const;

const POLL_MS = 15_000;

/** The public page of a service. */
export function ServicePage() {
  const { t } = useTranslation('Header');
  const { account = '', service = '', tab } = useParams();
  const { data: model, error, refetch } = coreApi.useCoreGetModelInfoQuery({ account, model: service }, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
  const problem = asProblem(error);
  if (problem && !model) return <ObjectProblem problem={problem} name={`${account}/${service}`} again={() => void refetch()} />;
  return model ? <Service model={model} account={account} tab={TABS.find((known) => known === tab) ?? 'testing'} /> : <ServiceToCome name={service} crumbs={[{ text: t('catalog'), to: '/catalog' }, { text: account }]} />;
}

function Service({ model, account, tab }: { model: ModelInfoData; account: string; tab: (typeof TABS)[number] }) {
  const { t } = useTranslation('Service');
  const navigate = useNavigate();
  const session = useSession();
  const owner = session.state === 'signed-in' && session.accountId === model.id.accountId;
  const title = model.displayName ?? model.modelName;
  const base = `/catalog/${encodeURIComponent(account)}/${encodeURIComponent(model.modelName)}`;
  return (
    <Page
      title={title}
      name={`${model.modelAccountName ?? account}/${model.modelName}`}
      crumbs={[{ text: t('Header:catalog'), to: '/catalog' }, { text: model.modelAccountDisplayName ?? model.modelAccountName ?? account }, { text: title, to: base }]}
      tab={t(`tab.${tab}`)}
      subtitle={<ServiceHead model={model} account={account} owner={owner} />}
      action={
        <Group gap="xs">
          <Copy value={`${window.location.origin}${base}`} label={t('copyLink')} />
          {session.state === 'signed-in' && <Favorite model={model} />}
          {owner && (
            <Button component={Link} to={`/workspace/model/${model.id.accountId}/${model.id.modelId}`} size="xs" leftSection={<IconSettings size={16} aria-hidden />}>
              {t('manage')}
            </Button>
          )}
        </Group>
      }
    >
      <Tabs value={tab} onChange={(value) => void navigate(value === 'testing' ? base : `${base}/${value ?? ''}`)} keepMounted={false}>
        <Tabs.List mb="lg" className={classes.tabs ?? ''}>
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="testing">
          <Tried account={account} model={model} />
        </Tabs.Panel>
        <Tabs.Panel value="about">
          <AboutTab model={model} account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="api">
          <ApiTab account={account} model={model} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Favorite({ model }: { model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  const { favorite, toggle, changing } = useFavorite(model);
  return (
    <Button size="xs" variant="default" loading={changing} aria-pressed={favorite} leftSection={favorite ? <IconStarFilled size={16} aria-hidden /> : <IconStar size={16} aria-hidden />} onClick={toggle}>
      {t(favorite ? 'removeFavorite' : 'addFavorite')}
    </Button>
  );
}

export function ServiceToCome({ name, crumbs }: { name: string; crumbs: readonly Crumb[] }) {
  return (
    <Page title={name} crumbs={crumbs} subtitle={<Skeleton h={22} w={320} />}>
      <Stack aria-busy="true">
        <Skeleton h={36} w={280} />
        <Skeleton h={420} />
      </Stack>
    </Page>
  );
}
