import { Anchor, Badge, Button, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { GroupServices } from '@/features/resources/GroupServices';
import { GroupSettings } from '@/features/resources/GroupSettings';
import { Servers } from '@/features/resources/Servers';
import { ObjectProblem } from '@/routes/ObjectProblem';

const GroupMonitoring = lazy(() => import('@/features/monitoring/group/GroupMonitoring'));

const TABS = ['servers', 'services', 'monitoring', 'settings'] as const;

/** One group of servers. */
export function ResourceGroupPage() {
  const { t } = useTranslation('Resources');
  const { owner = '', name = '', tab, section } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetResourceGroupQuery({ account: owner, groupName: name });
  const problem = asProblem(error);
  if (problem && !data)
    return (
      <ObjectProblem
        problem={problem}
        name={name}
        crumbs={[{ text: t('title'), to: '/workspace/resource-groups' }]}
        again={() => void refetch()}
      />
    );
  if (!data) {
    return (
      <Page title={name} crumbs={[{ text: t('title'), to: '/workspace/resource-groups' }]}>
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Loaded group={data} tab={TABS.find((known) => known === tab) ?? 'servers'} section={section} />;
}

function Loaded({
  group,
  tab,
  section,
}: {
  group: ResourceGroupEssentialData;
  tab: (typeof TABS)[number];
  section: string | undefined;
}) {
  const { t } = useTranslation('Resources');
  const account = String(group.ownerId);
  const base = `/workspace/resource-group/${account}/${encodeURIComponent(group.name)}`;
  return (
    <Page
      title={group.name}
      crumbs={[
        { text: t('title'), to: '/workspace/resource-groups' },
        { text: group.name, to: base },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={
        <Group gap={6}>
          {t(`type.${group.resourceGroupType}`)}
          <Badge variant="default">{t(`access.${group.access}`)}</Badge>
        </Group>
      }
      action={<DeleteGroup group={group} account={account} />}
    >
      <RoutedTabs
        label={group.name}
        current={tab}
        tabs={TABS.map((name) => ({
          name,
          label: t(`tab.${name}`),
          to: name === 'servers' ? base : `${base}/${name}`,
        }))}
      >
        {tab === 'servers' && <Servers account={account} groupName={group.name} />}
        {tab === 'services' && <GroupServices account={account} groupName={group.name} />}
        {tab === 'monitoring' && (
          <Suspense fallback={<Skeleton h={420} />}>
            <GroupMonitoring account={account} groupName={group.name} view={section} base={`${base}/monitoring`} />
          </Suspense>
        )}
        {tab === 'settings' && <GroupSettings account={account} group={group} />}
      </RoutedTabs>
    </Page>
  );
}

function DeleteGroup({ group, account }: { group: ResourceGroupEssentialData; account: string }) {
  const { t } = useTranslation('Resources');
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const [remove] = coreApi.useCoreDeleteResourceGroupMutation();
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        {t('App:delete')}
      </Button>
      <Deletion
        opened={asked}
        title={t('deleteTitle', { name: group.name })}
        account={account}
        remove={() => remove({ account, groupName: group.name })}
        onClose={() => setAsked(false)}
        onDeleted={() => void navigate('/workspace/resource-groups', { replace: true })}
        users={
          <Anchor
            component={Link}
            size="sm"
            to={`/workspace/resource-group/${account}/${encodeURIComponent(group.name)}/services`}
            onClick={() => setAsked(false)}
          >
            {t('showServices')}
          </Anchor>
        }
      >
        {t('deleteHint')}
      </Deletion>
    </>
  );
}
