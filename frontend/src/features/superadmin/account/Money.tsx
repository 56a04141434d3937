import { SimpleGrid, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { useAmounts } from '@/features/billing/balances';
import { Figure } from '@/features/billing/Figure';
import { Forecast } from '@/features/billing/Forecast';
import { History } from '@/features/billing/History';
import { Statement } from '@/features/billing/Statement';
import { BALANCE_POLL } from '@/lib/polls';
import { PUBLIC_MODEL_ADMIN } from '@/lib/rights';
import { useSettings } from '@/lib/session';

import { Refill } from './Refill';

/** The balance of an account, what changes it, and the way to refill it. */
export function Money({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Balance');
  const { data: settings } = useSettings();
  const earns = useEarns(accountId);
  if (settings?.isBillingEnabled === false) return <Empty title={t('off')}>{t('offHint')}</Empty>;
  return (
    <Stack gap="xl">
      <Balance accountId={accountId} earns={earns} />
      <Refill accountId={accountId} />
      <Statement accountId={accountId} earns={earns} />
      <History accountId={accountId} />
    </Stack>
  );
}

function Balance({ accountId, earns }: { accountId: number; earns: boolean }) {
  const { t } = useTranslation('Balance');
  const { data, error, refetch } = billingApi.useBillingGetBalanceQuery({ accountId }, BALANCE_POLL);
  const amounts = useAmounts();
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Figure name={t('overall')} value={data ? amounts.balance(data.overallBalanceCurrency) : null}>
        <Forecast accountId={accountId} unit={amounts.unit} />
      </Figure>
      {earns && <Figure name={t('income')} value={data ? amounts.income(data.incomeBalanceCurrency) : null} />}
    </SimpleGrid>
  );
}

/** Whether the account may sell; only then it has income. */
function useEarns(accountId: number): boolean {
  const { data } = coreApi.useCoreGetAccountFeaturesQuery({ account: String(accountId) });
  return data?.features.some(({ name, enabled }) => enabled && name.toLowerCase() === PUBLIC_MODEL_ADMIN) ?? false;
}
