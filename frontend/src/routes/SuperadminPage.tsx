import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import { Page } from '@/components/Page';
import { RoutedTabs } from '@/components/RoutedTabs';
import { Accounts } from '@/features/superadmin/Accounts';
import { Broadcast } from '@/features/superadmin/Broadcast';
import { Domains } from '@/features/superadmin/Domains';
import { Licence } from '@/features/superadmin/Licence';
import { LedgerState } from '@/features/superadmin/LedgerState';
import { TeamRequests } from '@/features/superadmin/TeamRequests';

const PLACES = {
  accounts: Accounts,
  requests: TeamRequests,
  broadcast: Broadcast,
  domains: Domains,
  licence: Licence,
} as const;
type Place = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as Place[];

/** Accounts first: most questions to an operator are about an account. */
export function SuperadminPage() {
  const { t } = useTranslation('Places');
  const { t: admin } = useTranslation('Admin');
  const { place } = useParams();
  const current = NAMES.find((name) => name === place) ?? 'accounts';
  const Shown = PLACES[current];
  return (
    <Page title={admin('title')} tab={t(current)} action={<LedgerState />}>
      <RoutedTabs
        label={admin('title')}
        current={current}
        tabs={NAMES.map((name) => ({
          name,
          label: t(name),
          to: name === 'accounts' ? '/superadmin' : `/superadmin/${name}`,
        }))}
      >
        <Shown />
      </RoutedTabs>
    </Page>
  );
}
