import { Anchor, Button, Modal, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { browser } from '@/lib/browser';
import { flooredToCents } from '@/lib/format/money';
import { useWithoutModal } from '@/lib/modals';
import { type SignedIn, useSettings } from '@/lib/session';

import { WelcomeBonus } from './WelcomeBonus';
import { sells, useAmounts, useShortBalance } from './balances';

export type Method = 'card' | 'income';

const SMALLEST_BY_CARD = 1;

/** The text key of the amount's error; null if it is valid. */
export function amountFault(method: Method, amount: number | string): string | null {
  if (amount === '' || !Number.isFinite(Number(amount))) return 'Input:Required';
  return method === 'card' && Number(amount) < SMALLEST_BY_CARD ? 'BalanceRefillModal:AmountCurrencyMessage' : null;
}

interface Props {
  session: SignedIn;
  accountId: number;
  onClose: () => void;
}

export default function RefillModal({ session, accountId, onClose }: Props) {
  const { t } = useTranslation('BalanceRefillModal');
  const { data: settings } = useSettings();
  return (
    <Modal opened onClose={onClose} title={t('title')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Stack>
        <WelcomeBonus session={session} accountId={accountId} />
        {settings?.refillByManager ? (
          <ByManager mail={settings.managerMail} />
        ) : (
          <RefillForm session={session} accountId={accountId} onClose={onClose} />
        )}
      </Stack>
    </Modal>
  );
}

function ByManager({ mail }: { mail: string | null }) {
  const { t } = useTranslation('Balance');
  return (
    <Text>
      {t('askManager')} {mail && <Anchor href={`mailto:${mail}`}>{mail}</Anchor>}
    </Text>
  );
}

function RefillForm({ session, accountId, onClose }: Props) {
  const { t } = useTranslation('BalanceRefillModal');
  const { unit, income } = useAmounts();
  const { data: balance } = useShortBalance(accountId);
  const mayChoose = sells(session);
  const form = useForm<{ method: Method; sum: number | string }>({
    initialValues: { method: 'card', sum: '' },
    validate: {
      sum: (sum, { method }) => {
        const fault = amountFault(method, sum);
        return fault && t(fault);
      },
    },
  });
  const refusal = useFormRefusal(form, { amountCurrency: 'sum' });
  const { refill, isLoading } = useRefill(session, accountId);
  const { method } = form.values;
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const { error } = await refill(values.method, flooredToCents(Number(values.sum)));
    if (refusal.show(error)) return;
    if (values.method === 'card') return; // the browser is going to the payment page
    toastDone(t('done'));
    onClose();
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        {mayChoose && (
          <SegmentedControl
            aria-label={t('method')}
            fullWidth
            data={(['card', 'income'] as const).map((value) => ({ value, label: t(`methods.${value}`) }))}
            value={method}
            onChange={(value) => form.setFieldValue('method', value)}
          />
        )}
        <NumberInput
          label={t('sum')}
          required
          data-autofocus
          min={method === 'card' ? SMALLEST_BY_CARD : 0}
          clampBehavior="none"
          allowNegative={false}
          rightSection={
            <Text size="sm" c="dimmed">
              {method === 'card' ? unit : '₽'}
            </Text>
          }
          rightSectionWidth={unit.length > 1 ? 72 : 36}
          description={
            method === 'income' && balance
              ? t('available', { amount: income(balance.incomeBalanceCurrency) })
              : undefined
          }
          {...form.getInputProps('sum')}
        />
        <Button type="submit" loading={isLoading}>
          {t(method === 'card' ? 'toPay' : 'move')}
        </Button>
      </Stack>
    </form>
  );
}

/** For a card payment the browser goes to the provider's page, which sends it back to the page that the modal was opened on. */
function useRefill({ user: { userId } }: SignedIn, accountId: number) {
  const [byCard, card] = billingApi.useBillingRefillByCardMutation();
  const [fromIncome, moved] = billingApi.useBillingRefillFromIncomeMutation();
  const [leaving, setLeaving] = useState(false);
  const back = useWithoutModal();
  const refill = async (method: Method, amountCurrency: number) => {
    if (method === 'income')
      return fromIncome({ accountId, userId, refillIncomeRequest: { accountId, amountCurrency } });
    const redirectUrl = `${window.location.origin}${back}`;
    const answer = await byCard({ accountId, userId, refillCardRequest: { accountId, amountCurrency, redirectUrl } });
    if (answer.data) {
      setLeaving(true);
      browser.go(answer.data.paymentUrl);
    }
    return answer;
  };
  return { refill, isLoading: card.isLoading || moved.isLoading || leaving };
}
