import { Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { SaveScope } from '@/components/settings/SaveScope';
import { Details } from '@/features/account/Details';
import { Features } from '@/features/account/Features';
import { Limits } from '@/features/account/Limits';
import { Members } from '@/features/account/Members';
import { Password } from '@/features/account/Password';
import { Sessions } from '@/features/account/Sessions';
import { Storage } from '@/features/account/Storage';
import { TimeZone } from '@/features/account/TimeZone';
import { RecentSpending } from '@/features/billing/RecentSpending';
import { BucketStorage } from '@/features/bucket/BucketStorage';
import { useMember } from '@/lib/session';

const AccountUse = lazy(() => import('@/features/monitoring/AccountUse'));

const TABS = ['general', 'members', 'limits', 'storage', 'security'] as const;
type Tab = (typeof TABS)[number];

/** The account in tabs; each has its address. */
export function AccountInfoPage() {
  const { t } = useTranslation('Account');
  const { tab } = useParams();
  const current = TABS.find((known) => known === tab) ?? 'general';
  return (
    <Page title={t('title')} tab={t(`tab.${current}`)}>
      <RoutedTabs
        label={t('title')}
        current={current}
        tabs={TABS.map((name) => ({
          name,
          label: t(`tab.${name}`),
          to: `/workspace/account-info${name === 'general' ? '' : `/${name}`}`,
        }))}
      >
        <SaveScope key={current}>
          <Stack gap="xl">
            <Parts tab={current} />
          </Stack>
        </SaveScope>
      </RoutedTabs>
    </Page>
  );
}

function Parts({ tab }: { tab: Tab }) {
  const { account, accountId } = useMember();
  switch (tab) {
    case 'general':
      return (
        <>
          <RecentSpending accountId={accountId} />
          <Details />
          <TimeZone />
        </>
      );
    case 'members':
      return <Members />;
    case 'limits':
      return (
        <Limits>
          <Suspense fallback={<Skeleton h={420} />}>
            <AccountUse account={account} />
          </Suspense>
          <Features />
        </Limits>
      );
    case 'storage':
      return (
        <Storage>
          <BucketStorage account={account} />
        </Storage>
      );
    case 'security':
      return (
        <>
          <Password />
          <Sessions />
        </>
      );
  }
}
