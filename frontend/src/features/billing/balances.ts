import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { formatAmount, formatRubles } from '@/lib/format/money';
import { BALANCE_POLL } from '@/lib/polls';
import { type SignedIn, useSettings } from '@/lib/session';

export type BalanceBanner = 'blocked' | 'below-zero' | null;

/** Blocked takes precedence; an account with credit gets no warning. */
export function balanceBanner(facts: { blocked: boolean; balance: number; mayOwe: boolean }): BalanceBanner {
  if (facts.blocked) return 'blocked';
  return facts.balance < 0 && !facts.mayOwe ? 'below-zero' : null;
}

export function mayOwe(session: SignedIn): boolean {
  return session.has('mlp_billing.no_blocking');
}

/** Owners of public services have an income balance. */
export function sells(session: SignedIn): boolean {
  return session.has('mlp.public_model_admin');
}

export function useShortBalance(accountId: number, skip = false) {
  return billingApi.useBillingGetShortBalanceQuery({ accountId }, { ...BALANCE_POLL, skip });
}

/** Amounts in this installation's display: the balance in its currency, income always in rubles. */
export function useAmounts() {
  const { t } = useTranslation('Balance');
  const { data: settings } = useSettings();
  const unit = settings?.currencyType === 'TOKEN' ? t('tokens') : '₽';
  return { unit, balance: (amount: number) => `${formatAmount(amount)} ${unit}`, income: formatRubles };
}
