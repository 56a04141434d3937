import { Badge, Button, Group, Skeleton, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { ResourceGroupEssentialData } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Page } from '@/components/Page';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { GroupSettings } from '@/features/resources/GroupSettings';
import { Servers } from '@/features/resources/Servers';
import { ObjectProblem } from '@/routes/ObjectProblem';

const TABS = ['servers', 'settings'] as const;

/** One group of servers. */
export function ResourceGroupPage() {
  const { t } = useTranslation('Resources');
  const { owner = '', name = '', tab } = useParams();
  const { data, error, refetch } = coreApi.useCoreGetResourceGroupQuery({ account: owner, groupName: name });
  const problem = asProblem(error);
  if (problem && !data) return <ObjectProblem problem={problem} name={name} again={() => void refetch()} />;
  if (!data) {
    return (
      <Page title={name} crumbs={[{ text: t('title'), to: '/workspace/resource-groups' }]}>
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Loaded group={data} tab={TABS.find((known) => known === tab) ?? 'servers'} />;
}

function Loaded({ group, tab }: { group: ResourceGroupEssentialData; tab: (typeof TABS)[number] }) {
  const { t } = useTranslation('Resources');
  const navigate = useNavigate();
  const account = String(group.ownerId);
  const base = `/workspace/resource-group/${account}/${encodeURIComponent(group.name)}`;
  return (
    <Page
      title={group.name}
      crumbs={[{ text: t('title'), to: '/workspace/resource-groups' }, { text: group.name, to: base }]}
      tab={t(`tab.${tab}`)}
      subtitle={
        <Group gap={6}>
          {t(`type.${group.resourceGroupType}`)}
          <Badge variant="default" tt="none" fw={500}>
            {t(`access.${group.access}`)}
          </Badge>
        </Group>
      }
      action={<DeleteGroup group={group} account={account} />}
    >
      <Tabs value={tab} onChange={(value) => void navigate(`${base}/${value ?? ''}`)} keepMounted={false}>
        <Tabs.List mb="lg">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="servers">
          <Servers account={account} groupName={group.name} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <GroupSettings account={account} group={group} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function DeleteGroup({ group, account }: { group: ResourceGroupEssentialData; account: string }) {
  const { t } = useTranslation('Resources');
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const [remove] = coreApi.useCoreDeleteResourceGroupMutation();
  const refused = useProblemToast();
  const end = async () => {
    const { error } = await remove({ account, groupName: group.name });
    setAsked(false);
    if (!refused(t('failed'), error)) void navigate('/workspace/resource-groups', { replace: true });
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsked(true)}>
        {t('App:delete')}
      </Button>
      <Confirm opened={asked} onClose={() => setAsked(false)} title={t('deleteTitle', { name: group.name })} action={t('App:delete')} onConfirm={end}>
        {t('deleteHint')}
      </Confirm>
    </>
  );
}
