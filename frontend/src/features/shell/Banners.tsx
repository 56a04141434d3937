import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { balanceBanner, mayOwe, useShortBalance } from '@/features/billing/balances';
import { useModal } from '@/lib/modals';
import { BALANCE_POLL } from '@/lib/polls';
import { type SignedIn, useSettings } from '@/lib/session';

interface Props {
  session: SignedIn;
  accountId: number;
  /** Called as soon as it is certain whether there are problems. */
  onAnswer: () => void;
}

/** Problems of the account, above all pages. */
export default function Banners({ session, accountId, onAnswer }: Props) {
  const { data: settings } = useSettings();
  const none = settings && (!settings.isBillingEnabled || session.isSuperadmin);
  useEffect(() => {
    if (none) onAnswer();
  });
  if (!settings || none) return null;
  return (
    <Balance
      accountId={accountId}
      mayBeNegative={mayOwe(session)}
      byManager={settings.refillByManager}
      mail={settings.managerMail}
      onAnswer={onAnswer}
    />
  );
}

interface BalanceProps {
  accountId: number;
  mayBeNegative: boolean;
  byManager: boolean;
  mail: string | null;
  onAnswer: () => void;
}

function Balance({ accountId, mayBeNegative, byManager, mail, onAnswer }: BalanceProps) {
  const { t } = useTranslation('Balance');
  const { open } = useModal();
  const { data: blocked = false, isLoading: asksBlocked } = billingApi.useBillingGetBlockedQuery(
    { accountId },
    BALANCE_POLL,
  );
  const { data: short, isLoading: asksShort } = useShortBalance(accountId);
  const answered = !asksBlocked && !asksShort;
  useEffect(() => {
    if (answered) onAnswer();
  });
  const banner = balanceBanner({ blocked, balance: short?.overallBalanceCurrency ?? 0, mayOwe: mayBeNegative });
  if (!banner) return null;
  return (
    <Banner tone={banner === 'blocked' ? 'danger' : 'warning'} title={t(banner)}>
      {byManager ? (
        <Text size="sm">
          {t('askManager')}{' '}
          {mail && (
            <Anchor href={`mailto:${mail}`} c="inherit">
              {mail}
            </Anchor>
          )}
        </Text>
      ) : (
        <>
          <Text size="sm">{t('askRefill')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => open('refill')}>
            {t('refill')}
          </Button>
        </>
      )}
    </Banner>
  );
}

const COLOURS = { danger: 'red', warning: 'yellow' };

export function Banner({ tone, title, children }: { tone: keyof typeof COLOURS; title: string; children?: ReactNode }) {
  return (
    <Alert color={COLOURS[tone]} radius={0} py="xs" role={tone === 'danger' ? 'alert' : 'status'}>
      <Group gap="xs" justify="center">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {children}
      </Group>
    </Alert>
  );
}
