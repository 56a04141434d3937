import { Button, NumberInput, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { billingApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useAmounts } from '@/features/billing/balances';
import { flooredToCents } from '@/lib/format/money';
import { randomId } from '@/lib/randomId';
import { useSettings } from '@/lib/session';

/** Puts money on the balance of an account, in the installation's currency, with a reason that billing stores. */
export function Refill({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  const { data: settings } = useSettings();
  const { unit } = useAmounts();
  const [refill, { isLoading }] = billingApi.useBillingRefillAccountMutation();
  // The same idempotency key for the same input: a click repeated after a lost answer refills once.
  const [intention, setIntention] = useState(randomId);
  const form = useForm<{ amount: number | string; comment: string }>({
    initialValues: { amount: '', comment: '' },
    validate: {
      amount: (value) => (Number(value) > 0 ? null : t('Input:Required')),
      comment: (value) => (value.trim() ? null : t('Input:Required')),
    },
  });
  const refusal = useFormRefusal(form, { amountCurrency: 'amount' });
  const submit = form.onSubmit(async ({ amount, comment }) => {
    refusal.clear();
    const manualRefillRequest = {
      amountCurrency: flooredToCents(Number(amount)),
      currency: settings?.currencyType ?? ('RUBLE' as const),
      comment: comment.trim(),
      idempotencyKey: intention,
    };
    const { error } = await refill({ accountId, manualRefillRequest });
    if (refusal.show(error)) return;
    form.reset();
    setIntention(randomId());
    toastDone(t('refilled'));
  }, refusal.showInvalid);
  return (
    <Paper withBorder p="md" component="section" aria-label={t('refill')} maw={560}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Title order={2} size="h3">
            {t('refill')}
          </Title>
          <FormBanner refusal={refusal} />
          <NumberInput
            label={t('amount')}
            aria-label={`${t('amount')}, ${unit}`}
            required
            min={0}
            decimalScale={2}
            hideControls
            rightSection={
              <Text size="sm" c="dimmed" aria-hidden>
                {unit}
              </Text>
            }
            rightSectionWidth={unit.length > 1 ? 72 : 36}
            rightSectionPointerEvents="none"
            {...form.getInputProps('amount')}
          />
          <TextInput label={t('reason')} required maxLength={1000} {...form.getInputProps('comment')} />
          <Button type="submit" w="fit-content" loading={isLoading}>
            {t('refill')}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
