import { Button, Group, Skeleton } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData, ModelShortStatusData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { ServiceHead } from '@/features/service/ServiceHead';
import { ServiceMenu } from '@/features/service/ServiceMenu';
import { whileStarting } from '@/lib/polls';
import { useMember, useSettings } from '@/lib/session';

import { ObjectProblem } from '@/routes/ObjectProblem';
import { ServiceToCome } from '@/routes/ServiceToCome';

// A tab's code is loaded with the tab.
const AboutTab = lazy(async () => ({ default: (await import('@/features/service/AboutTab')).AboutTab }));
const ApiTab = lazy(async () => ({ default: (await import('@/features/service/ApiTab')).ApiTab }));
const Archive = lazy(async () => ({ default: (await import('@/features/archive/Archive')).Archive }));
const Diagnostics = lazy(async () => ({ default: (await import('@/features/diagnostics/Diagnostics')).Diagnostics }));
const EventsTab = lazy(async () => ({ default: (await import('@/features/service/EventsTab')).EventsTab }));
const Monitoring = lazy(async () => ({ default: (await import('@/features/monitoring/Monitoring')).Monitoring }));
const SettingsTabs = lazy(() => import('@/features/settings/SettingsTab'));
const Versions = lazy(async () => ({ default: (await import('@/features/versions/Versions')).Versions }));
const WaitsForServer = lazy(async () => ({
  default: (await import('@/features/diagnostics/WaitsForServer')).WaitsForServer,
}));
const Tried = lazy(async () => ({ default: (await import('@/routes/Tried')).Tried }));

const TABS = [
  'testing',
  'about',
  'api',
  'diagnostic',
  'monitoring',
  'archive',
  'events',
  'versions',
  'settings',
] as const;
type Tab = (typeof TABS)[number];

/** What the playground says of a start follows the service's state. */
const POLL_MS = 15_000;
const SOON_MS = 3000;

/** A service as its owner sees it. Of another account's service there is only the page that everybody sees. */
export function OwnServicePage() {
  const { t } = useTranslation('Services');
  const { account = '', service = '', tab, section } = useParams();
  const { accountId } = useMember();
  const tabs = useTabs(tab);
  const {
    data: model,
    error,
    refetch,
  } = coreApi.useCoreGetModelInfoQuery(
    { account, model: service },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  coreApi.useCoreGetModelInfoQuery({ account, model: service }, whileStarting(model));
  const own = account === String(accountId);
  // Whether the service waits for a server stands above the tabs, which would move down if that came later. Of others' services it is not told.
  const { data: status, error: untold } = coreApi.useCoreGetModelStatusQuery(
    { account, model: service },
    { skip: !own },
  );
  const problem = asProblem(error);
  if (problem && !model)
    return (
      <ObjectProblem
        problem={problem}
        name={service}
        title={t('one')}
        crumbs={[{ text: t('title'), to: '/workspace/services' }]}
        again={() => void refetch()}
      />
    );
  const toCome = <ServiceToCome name={service} crumbs={[{ text: t('title'), to: '/workspace/services' }]} />;
  if (!model || (own && !status && !untold)) return toCome;
  if (model.id.accountId !== accountId)
    return <Navigate to={`/catalog/${encodeURIComponent(account)}/${encodeURIComponent(service)}`} replace />;
  return (
    <Suspense fallback={toCome}>
      <Own
        model={model}
        status={status}
        tabs={tabs}
        tab={tabs.find((known) => known === tab) ?? 'testing'}
        section={section}
      />
    </Suspense>
  );
}

/** Without the archive where the installation keeps none; until that is known, its address is believed. */
function useTabs(asked: string | undefined): readonly Tab[] {
  const { data: settings } = useSettings();
  const archived = settings?.isArchiveEnabled ?? asked === 'archive';
  return archived ? TABS : TABS.filter((name) => name !== 'archive');
}

interface OwnProps {
  model: ModelInfoData;
  status: ModelShortStatusData | undefined;
  tabs: readonly Tab[];
  tab: Tab;
  section: string | undefined;
}

function Own({ model, status, tabs, tab, section }: OwnProps) {
  const { t } = useTranslation('Service');
  const [waitsFromStart] = useState(Boolean(status?.waiting));
  const account = String(model.id.accountId);
  const title = model.displayName ?? model.modelName;
  const base = `/workspace/model/${model.id.accountId}/${model.id.modelId}`;
  const waits = (
    <WaitsForServer
      account={account}
      model={model}
      known={status}
      pollMs={model.state === 'RUNNING' ? POLL_MS : SOON_MS}
    />
  );
  const panels: Record<Tab, ReactNode> = {
    testing: <Tried account={account} model={model} />,
    about: <AboutTab account={account} model={model} />,
    api: <ApiTab account={model.modelAccountName ?? account} model={model} />,
    diagnostic: <Diagnostics account={account} model={model} />,
    monitoring: <Monitoring account={account} model={model} />,
    archive: <Archive account={account} model={model} />,
    events: <EventsTab account={account} model={model.modelName} />,
    versions: <Versions account={account} model={String(model.id.modelId)} />,
    settings: <SettingsTabs account={account} model={model} section={section} base={`${base}/settings`} />,
  };
  return (
    <Page
      title={title}
      name={`${model.modelAccountName ?? account}/${model.modelName}`}
      crumbs={[
        { text: t('Services:title'), to: '/workspace/services' },
        { text: title, to: base },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={<ServiceHead model={model} account={account} owner known={status} />}
      action={<Actions model={model} account={account} />}
    >
      {/* One that is shown from the start is waited for, with its texts; one that comes later is not: the page is there already. */}
      {model.hostingType !== 'EXTERNAL' && (waitsFromStart ? waits : <Suspense>{waits}</Suspense>)}
      <RoutedTabs
        label={title}
        current={tab}
        tabs={tabs.map((name) => ({
          name,
          label: t(`tab.${name}`),
          to: name === 'testing' ? base : `${base}/${name}`,
        }))}
      >
        <Suspense fallback={<Skeleton h={420} />}>{panels[tab]}</Suspense>
      </RoutedTabs>
    </Page>
  );
}

function Actions({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const shared = `/catalog/${model.modelAccountName ?? account}/${model.modelName}`;
  return (
    <Group gap="xs">
      <Copy value={`${window.location.origin}${shared}`} label={t('copyLink')} />
      {model.publicSettings.isPublic && (
        <Button
          component={Link}
          to={shared}
          size="xs"
          variant="default"
          leftSection={<IconWorld size={16} aria-hidden />}
        >
          {t('asOthers')}
        </Button>
      )}
      <ServiceMenu account={account} model={model} />
    </Group>
  );
}
