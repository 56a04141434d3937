import { Button, Group, NumberInput, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi } from '@/api';
import type { BillingDetails, Period } from '@/api/generated/billing.gen';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/ProblemView';
import { toastDone } from '@/components/Toasts';
import { useMember, useSession, useSettings } from '@/lib/session';
import { flooredToCents, formatAmount, formatRubles } from '@/lib/money';
import { formatMoment } from '@/lib/time';

const PERIODS: Period[] = ['HOUR', 'DAY', 'MONTH', 'YEAR'];

export function BillingPage() {
  const { t } = useTranslation('Balance');
  const session = useSession();
  const { accountId } = useMember();
  const { data, error, refetch } = billingApi.useBillingGetBalanceQuery({ accountId }, { pollingInterval: 5000, skipPollingIfUnfocused: true });
  const { data: settings } = useSettings();
  const problem = asProblem(error);
  const unit = settings?.currencyType === 'TOKEN' ? t('tokens') : '₽';
  const sells = session.state === 'signed-in' && session.has('mlp.public_model_admin');
  return (
    <Page title={t('title')}>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Figure name={t('overall')} value={data ? `${formatAmount(data.overallBalanceCurrency)} ${unit}` : null} />
        {sells && <Figure name={t('income')} value={data ? formatRubles(data.incomeBalanceCurrency) : null} />}
      </SimpleGrid>
      {sells && data && <FromIncome accountId={accountId} available={data.incomeBalanceCurrency} />}
      <Details accountId={accountId} direction="spending" />
      {sells && <Details accountId={accountId} direction="income" />}
      <History accountId={accountId} />
    </Page>
  );
}

function Figure({ name, value }: { name: string; value: string | null }) {
  return (
    <Paper withBorder p="md">
      <Text c="dimmed">{name}</Text>
      {value === null ? (
        <Skeleton h={36} w={160} />
      ) : (
        <Text size="28px" fw={600} ff="monospace">
          {value}
        </Text>
      )}
    </Paper>
  );
}

/** Income is money as well: an owner may spend it on calls. */
function FromIncome({ accountId, available }: { accountId: number; available: number }) {
  const { t } = useTranslation('Balance');
  const { user } = useMember();
  const [refill, { isLoading }] = billingApi.useBillingRefillFromIncomeMutation();
  const form = useForm<{ amount: number | string }>({
    initialValues: { amount: '' },
    validate: { amount: (value) => (Number(value) > 0 ? null : t('Input:Required')) },
  });
  const submit = form.onSubmit(async ({ amount }) => {
    const amountCurrency = flooredToCents(Number(amount));
    const { error } = await refill({ accountId, userId: user.userId, refillIncomeRequest: { accountId, amountCurrency } });
    const problem = asProblem(error);
    if (problem) return form.setErrors({ amount: problem.message || t('failed') });
    form.reset();
    toastDone(t('refilled'));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end">
        <NumberInput label={t('fromIncome')} description={t('fromIncomeHint')} min={0} max={available} decimalScale={2} {...form.getInputProps('amount')} />
        <Button type="submit" variant="default" loading={isLoading} disabled={available <= 0}>
          {t('move')}
        </Button>
      </Group>
    </form>
  );
}

function Details({ accountId, direction }: { accountId: number; direction: 'spending' | 'income' }) {
  const { t } = useTranslation('Balance');
  const [period, setPeriod] = useState<Period>('MONTH');
  const options = { skipPollingIfUnfocused: true, pollingInterval: 15_000 };
  const spending = billingApi.useBillingGetSpendingDetailsQuery({ accountId, period }, { ...options, skip: direction !== 'spending' });
  const income = billingApi.useBillingGetIncomeDetailsQuery({ accountId, period }, { ...options, skip: direction !== 'income' });
  const { data } = direction === 'spending' ? spending : income;
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2}>{t(direction)}</Title>
        <SegmentedControl
          size="xs"
          aria-label={t('period')}
          value={period}
          onChange={setPeriod}
          data={PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }))}
        />
      </Group>
      {data ? <Rows details={data} /> : <Skeleton h={120} />}
    </Stack>
  );
}

function Rows({ details }: { details: BillingDetails }) {
  const { t } = useTranslation('Balance');
  if (details.items.length === 0) return <Empty title={t('nothing')} />;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('service')}</Table.Th>
            <Table.Th>{t('when')}</Table.Th>
            <Table.Th ta="right">{t('calls')}</Table.Th>
            <Table.Th ta="right">{t('amount')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {details.items.map((row) => (
            <Table.Tr key={`${row.date}/${row.modelAccountId}/${row.modelId}`}>
              <Table.Td>{row.name}</Table.Td>
              <Table.Td>{formatMoment(row.date)}</Table.Td>
              <Table.Td ta="right" ff="monospace">
                {row.callsCount}
              </Table.Td>
              <Table.Td ta="right" ff="monospace">
                {formatAmount(row.amountCurrency)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th colSpan={3}>{t('total')}</Table.Th>
            <Table.Th ta="right" ff="monospace">
              {formatAmount(details.total)}
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}

function History({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Balance');
  const { data = [] } = billingApi.useBillingGetRefillHistoryQuery({ accountId });
  if (data.length === 0) return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('history')}</Title>
      <Table>
        <Table.Tbody>
          {data.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>{formatMoment(row.createdAt)}</Table.Td>
              <Table.Td>{t(`source.${row.source}`, row.source)}</Table.Td>
              <Table.Td ta="right" ff="monospace">
                {formatAmount(row.amountCurrency)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
