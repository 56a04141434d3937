import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { useSession, useSettings } from '@/lib/session';

import { BALANCE_POLL_MS } from './BalanceMenu';

export type BalanceBanner = 'blocked' | 'below-zero' | null;

/** Blocked goes first; who may owe is not warned. */
export function balanceBanner(facts: { blocked: boolean; balance: number; mayOwe: boolean }): BalanceBanner {
  if (facts.blocked) return 'blocked';
  return facts.balance < 0 && !facts.mayOwe ? 'below-zero' : null;
}

export function Balances() {
  const session = useSession();
  const { data: settings } = useSettings();
  if (session.state !== 'signed-in' || session.accountId === null || !settings?.isBillingEnabled) return null;
  return <Banner accountId={session.accountId} mayOwe={session.has('mlp_billing.no_blocking')} byManager={settings.refillByManager} />;
}

function Banner({ accountId, mayOwe, byManager }: { accountId: number; mayOwe: boolean; byManager: boolean }) {
  const { t } = useTranslation('Balance');
  const poll = { pollingInterval: BALANCE_POLL_MS, skipPollingIfUnfocused: true };
  const { data: blocked = false } = billingApi.useBillingGetBlockedQuery({ accountId }, poll);
  const { data: short } = billingApi.useBillingGetShortBalanceQuery({ accountId }, poll);
  const banner = balanceBanner({ blocked, balance: short?.overallBalanceCurrency ?? 0, mayOwe });
  if (!banner) return null;
  return (
    <Alert color={banner === 'blocked' ? 'red' : 'yellow'} radius={0} title={t(banner)} aria-live="polite">
      {t(byManager ? 'askManager' : 'askRefill')}
    </Alert>
  );
}
