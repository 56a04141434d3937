import { Button, Group, NumberInput, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { accountsApi, asProblem, billingApi, coreApi } from '@/api';
import type { AccountFeatureData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useRefusal } from '@/components/feedback/useRefusal';
import { Money } from '@/components/format/Money';
import { SaveBar } from '@/components/settings/SaveBar';
import { flooredToCents } from '@/lib/format/money';
import { randomId } from '@/lib/randomId';
import { useRightName } from '@/lib/rights';
import { useSettings } from '@/lib/session';

import { LimitsForm } from './LimitsForm';

/** One account: balance, limits and features, and blocking. Each change is recorded in the audit log. */
export function AccountPanel({ accountId }: { accountId: number }) {
  return (
    <Stack gap="xl">
      <Access account={String(accountId)} />
      <Refill accountId={accountId} />
      <Features account={String(accountId)} />
      <LimitsForm account={String(accountId)} />
      <SaveBar />
    </Stack>
  );
}

function Access({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error, refetch } = accountsApi.useAccountsGetAccountQuery({ account });
  const [block, blocking] = accountsApi.useAccountsBlockAccountMutation();
  const [unblock, unblocking] = accountsApi.useAccountsUnblockAccountMutation();
  const refusal = useRefusal();
  const problem = asProblem(error);
  if (!data) return problem && <ProblemView problem={problem} again={() => void refetch()} />;
  const change = async () => {
    refusal.clear();
    const result = await (data.active ? block({ account }) : unblock({ account }));
    refusal.show(result.error);
  };
  return (
    <Stack gap="sm">
      <FormBanner refusal={refusal} />
      <Group justify="space-between">
        <Text>{t(data.active ? 'active' : 'blocked')}</Text>
        <Button color={data.active ? 'red' : undefined} variant="default" loading={blocking.isLoading || unblocking.isLoading} onClick={() => void change()}>
          {t(data.active ? 'block' : 'unblock')}
        </Button>
      </Group>
    </Stack>
  );
}

function Refill({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Admin');
  const { data: settings } = useSettings();
  const { data: balance } = billingApi.useBillingGetBalanceQuery({ accountId });
  const [refill, { isLoading }] = billingApi.useBillingRefillAccountMutation();
  // The same idempotency key for the same input: a click repeated after a lost answer refills once.
  const [intention, setIntention] = useState(randomId);
  const form = useForm<{ amount: number | string; comment: string }>({
    initialValues: { amount: '', comment: '' },
    validate: { amount: (value) => (Number(value) > 0 ? null : t('Input:Required')), comment: (value) => (value.trim() ? null : t('Input:Required')) },
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
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={3}>{t('balance')}</Title>
          <Text>{balance && <Money amount={balance.overallBalanceCurrency} />}</Text>
        </Group>
        <FormBanner refusal={refusal} />
        <NumberInput label={t('amount')} required min={0} decimalScale={2} {...form.getInputProps('amount')} />
        <TextInput label={t('reason')} required maxLength={1000} {...form.getInputProps('comment')} />
        <Button type="submit" w="fit-content" loading={isLoading}>
          {t('refill')}
        </Button>
      </Stack>
    </form>
  );
}

function Features({ account }: { account: string }) {
  const { t } = useTranslation('Admin');
  const { data, error, refetch } = coreApi.useCoreGetAccountFeaturesQuery({ account });
  const [update, { isLoading }] = coreApi.useCoreUpdateFeaturesMutation();
  const named = useRightName();
  const refusal = useRefusal();
  const problem = asProblem(error);
  const change = async (features: AccountFeatureData['features']) => {
    refusal.clear();
    const result = await update({ account, accountFeatureData: { features } });
    if (!refusal.show(result.error)) await refetch();
  };
  return (
    <Stack gap="sm">
      <Title order={3}>{t('features')}</Title>
      <FormBanner refusal={refusal} />
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {data?.features.map(({ name, enabled }) => (
        <Switch
          key={name}
          label={named(name)}
          description={named(name) === name ? undefined : name}
          checked={enabled}
          disabled={isLoading}
          onChange={({ currentTarget }) => void change([{ name, enabled: currentTarget.checked }])}
        />
      ))}
    </Stack>
  );
}
