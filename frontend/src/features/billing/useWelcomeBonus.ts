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

/** The welcome bonus that the user may take. `amount`: its text, null where none is offered; `known`: whether that is certain. */
export function useWelcomeBonus({ user: { userId, accountOwner } }: SignedIn, accountId: number) {
  const { t } = useTranslation('WelcomeBonus');
  const { data: offer, isLoading } = billingApi.useBillingGetWelcomeOfferQuery(
    { accountId, userId },
    { skip: !accountOwner },
  );
  const amounts = useAmounts();
  const [ask, { isLoading: isTaking }] = billingApi.useBillingTakeWelcomeBonusMutation();
  const [reason, setReason] = useState<string | null>(null);
  const take = async () => {
    setReason(null);
    const problem = asProblem((await ask({ accountId, userId })).error);
    if (problem) setReason(t(reasonOf(problem)));
    else toastDone(t('done'));
  };
  return {
    known: !isLoading,
    amount: accountOwner && offer?.offered ? amounts.balance(offer.amountCurrency) : null,
    isTaking,
    reason,
    take,
  };
}
