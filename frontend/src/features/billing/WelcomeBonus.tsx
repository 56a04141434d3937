import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi, type Problem } from '@/api';
import { toastDone } from '@/components/feedback/Toasts';
import type { SignedIn } from '@/lib/session';

import { useAmounts } from './balances';

const CODE = 'mlp.billing.welcome_bonus_';
const REASONS = ['taken', 'off', 'unconfirmed', 'address_limit', 'day_limit'] as const;

/** The text key of the reason for a refusal. */
export function reasonOf({ code }: Pick<Problem, 'code'>): string {
  const reason = REASONS.find((name) => code === `${CODE}${name}`);
  return reason ? `reason.${reason}` : 'reason.other';
}

interface Props {
  session: SignedIn;
  accountId: number;
}

/** The welcome bonus, once per person. Hidden where none is offered. */
export function WelcomeBonus({ session, accountId }: Props) {
  const { t } = useTranslation('WelcomeBonus');
  const { userId, accountOwner } = session.user;
  const { data: offer } = billingApi.useBillingGetWelcomeOfferQuery({ accountId, userId }, { skip: !accountOwner });
  const amounts = useAmounts();
  const [take, { isLoading }] = billingApi.useBillingTakeWelcomeBonusMutation();
  const [reason, setReason] = useState<string | null>(null);
  if (!accountOwner || !offer?.offered) return null;
  const ask = async () => {
    setReason(null);
    const problem = asProblem((await take({ accountId, userId })).error);
    if (problem) setReason(t(reasonOf(problem)));
    else toastDone(t('done'));
  };
  return (
    <>
      {reason && <Alert color="yellow" role="alert">{reason}</Alert>}
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{t('hint', { amount: amounts.balance(offer.amountCurrency) })}</Text>
        <Button variant="default" flex="none" loading={isLoading} onClick={() => void ask()}>
          {t('take')}
        </Button>
      </Group>
    </>
  );
}
