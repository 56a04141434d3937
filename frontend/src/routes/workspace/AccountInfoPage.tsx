import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Page } from '@/components/Page';
import { SaveScope } from '@/components/settings/SaveScope';
import { Details, Limits } from '@/features/account/Details';
import { Features } from '@/features/account/Features';
import { Members } from '@/features/account/Members';
import { Password } from '@/features/account/Password';
import { Sessions } from '@/features/account/Sessions';
import { Storage } from '@/features/account/Storage';
import { RecentSpending } from '@/features/billing/RecentSpending';
import { useMember } from '@/lib/session';

export function AccountInfoPage() {
  const { t } = useTranslation('Account');
  const { accountId } = useMember();
  return (
    <Page title={t('title')}>
      <RecentSpending accountId={accountId} />
      <SaveScope>
        <Stack gap="lg">
          <Details />
          <Members />
          <Features />
          <Limits />
          <Storage />
          <Password />
          <Sessions />
        </Stack>
      </SaveScope>
    </Page>
  );
}
