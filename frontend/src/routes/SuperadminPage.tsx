import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';

import { Page } from '@/components/Page';
import { Accounts } from '@/features/superadmin/Accounts';
import { Broadcast } from '@/features/superadmin/Broadcast';
import { Domains } from '@/features/superadmin/Domains';
import { LedgerState } from '@/features/superadmin/LedgerState';
import { TeamRequests } from '@/features/superadmin/TeamRequests';

import classes from './ServicePage.module.css';

const PLACES = { accounts: Accounts, requests: TeamRequests, broadcast: Broadcast, domains: Domains } as const;
type Place = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as Place[];

/** Accounts first: most questions to an operator are about an account. */
export function SuperadminPage() {
  const { t } = useTranslation('Admin');
  const { place } = useParams();
  const navigate = useNavigate();
  const current = NAMES.find((name) => name === place) ?? 'accounts';
  const Shown = PLACES[current];
  return (
    <Page title={t('title')} tab={t(`place.${current}`)} action={<LedgerState />}>
      <Tabs value={current} onChange={(name) => void navigate(name === 'accounts' ? '/superadmin' : `/superadmin/${name ?? ''}`)} keepMounted={false}>
        <Tabs.List aria-label={t('title')} mb="md" className={classes.tabs ?? ''}>
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`place.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={current}>
          <Shown />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
