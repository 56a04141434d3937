import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { StateDot } from '@/components/StateDot';

/** Verification of the ledger, run on demand because it reads the whole ledger. */
export function LedgerState() {
  const { t } = useTranslation('Admin');
  const [ask, { data, isFetching, isError }] = billingApi.useLazyBillingCheckLedgerQuery();
  return (
    <Button
      variant="default"
      loading={isFetching}
      onClick={() => void ask()}
      leftSection={data ? <StateDot state={data.sound ? 'SOUND' : 'UNSOUND'} /> : undefined}
    >
      <Text span size="sm">
        {isError ? t('ledgerUnknown') : t('checkLedger')}
      </Text>
    </Button>
  );
}
