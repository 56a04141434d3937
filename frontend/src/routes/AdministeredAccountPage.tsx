import { Group, Skeleton, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import type { AccountInfoData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';
import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { SaveScope } from '@/components/settings/SaveScope';
import { People } from '@/features/account/Members';
import { Access } from '@/features/superadmin/account/Access';
import { Audit } from '@/features/superadmin/account/Audit';
import { Keys } from '@/features/superadmin/account/Keys';
import { LimitsForm } from '@/features/superadmin/account/LimitsForm';
import { Money } from '@/features/superadmin/account/Money';
import { Services } from '@/features/superadmin/account/Services';
import { accountAddress } from '@/features/superadmin/address';

import { ObjectProblem } from './ObjectProblem';

const TABS = ['access', 'people', 'keys', 'services', 'money', 'limits', 'audit'] as const;
type Tab = (typeof TABS)[number];

/** One account, as superadmins see it. The address names it by its id or its short name. */
export function AdministeredAccountPage() {
  const { t } = useTranslation('Places');
  const { account = '', tab } = useParams();
  // Not `data`: while another account loads, that is still the one before.
  const { currentData: data, error, refetch } = coreApi.useCoreGetAccountQuery({ account });
  const crumbs = [{ text: t('accounts'), to: '/superadmin' }];
  const problem = asProblem(error);
  if (problem && !data)
    return <ObjectProblem problem={problem} name={account} crumbs={crumbs} again={() => void refetch()} />;
  if (!data) {
    return (
      <Page title={account} crumbs={crumbs}>
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Loaded account={data} tab={TABS.find((known) => known === tab) ?? 'access'} />;
}

function Loaded({ account: { accountId, shortName, displayName }, tab }: { account: AccountInfoData; tab: Tab }) {
  const { t } = useTranslation('Admin');
  const name = displayName || shortName;
  const base = accountAddress(accountId);
  return (
    <Page
      title={name}
      crumbs={[
        { text: t('Places:accounts'), to: '/superadmin' },
        { text: name, to: base },
      ]}
      tab={t(`tab.${tab}`)}
      subtitle={
        <Group gap={6}>
          <Text span inherit ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {shortName}
          </Text>
          <Copy value={shortName} />
          <Text span inherit ff="monospace">
            {accountId}
          </Text>
          <Copy value={String(accountId)} />
        </Group>
      }
    >
      <RoutedTabs
        label={name}
        current={tab}
        tabs={TABS.map((one) => ({
          name: one,
          label: t(`tab.${one}`),
          to: one === 'access' ? base : `${base}/${one}`,
        }))}
      >
        <SaveScope key={`${accountId} ${tab}`}>
          <Content tab={tab} accountId={accountId} />
        </SaveScope>
      </RoutedTabs>
    </Page>
  );
}

function Content({ tab, accountId }: { tab: Tab; accountId: number }) {
  const account = String(accountId);
  switch (tab) {
    case 'access':
      return <Access account={account} />;
    case 'people':
      return <People account={account} managedBy={null} withInvitations />;
    case 'keys':
      return <Keys account={account} />;
    case 'services':
      return <Services account={account} />;
    case 'money':
      return <Money accountId={accountId} />;
    case 'limits':
      return <LimitsForm account={account} />;
    case 'audit':
      return <Audit accountId={accountId} />;
  }
}
