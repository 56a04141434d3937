import { Button, SimpleGrid } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi } from '@/api';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { sells, useAmounts } from '@/features/billing/balances';
import { Figure } from '@/features/billing/Figure';
import { Forecast } from '@/features/billing/Forecast';
import { History } from '@/features/billing/History';
import { Statement } from '@/features/billing/Statement';
import { useModal } from '@/lib/modals';
import { BALANCE_POLL } from '@/lib/polls';
import { useMember, useSession, useSettings } from '@/lib/session';

export function BillingPage() {
  const { t } = useTranslation('Balance');
  const { data: settings } = useSettings();
  const { open } = useModal();
  const off = settings?.isBillingEnabled === false;
  return (
    <Page title={t('title')} action={off ? undefined : <Button onClick={() => open('refill')}>{t('refill')}</Button>}>
      {off ? <Empty title={t('off')}>{t('offHint')}</Empty> : <Money />}
    </Page>
  );
}

function Money() {
  const { t } = useTranslation('Balance');
  const session = useSession();
  const { accountId } = useMember();
  const { data, error, refetch } = billingApi.useBillingGetBalanceQuery({ accountId }, BALANCE_POLL);
  const amounts = useAmounts();
  const problem = asProblem(error);
  const earns = session.state === 'signed-in' && sells(session);
  return (
    <>
      {problem && !data ? (
        <ProblemView problem={problem} again={() => void refetch()} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Figure name={t('overall')} value={data ? amounts.balance(data.overallBalanceCurrency) : null}>
            <Forecast accountId={accountId} unit={amounts.unit} />
          </Figure>
          {earns && <Figure name={t('income')} value={data ? amounts.income(data.incomeBalanceCurrency) : null} />}
        </SimpleGrid>
      )}
      <Statement accountId={accountId} earns={earns} />
      <History accountId={accountId} />
    </>
  );
}
