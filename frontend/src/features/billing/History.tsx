import { Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';
import { formatAmount } from '@/lib/format/money';
import { formatMoment } from '@/lib/format/time';

const POLL = { pollingInterval: 15_000, skipPollingIfUnfocused: true };

/** Refills, and card payments in progress. */
export function History({ accountId }: { accountId: number }) {
  const { t } = useTranslation('Balance');
  const { data, error, refetch } = billingApi.useBillingGetRefillHistoryQuery({ accountId }, POLL);
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section">
      <Title order={2}>{t('history')}</Title>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={80} />}
      {data?.length === 0 && <Text c="dimmed">{t('noRefills')}</Text>}
      {data && data.length > 0 && (
        <Table>
          <Table.Tbody>
            {data.map((row) => (
              <Table.Tr key={`${row.source}/${row.id}`}>
                <Table.Td>
                  <Text size="sm">{t(`source.${row.source}`)}</Text>
                  <Text size="xs" c="dimmed">
                    {formatMoment(row.createdAt)}
                  </Text>
                </Table.Td>
                <Table.Td>{t(`status.${row.status}`)}</Table.Td>
                <Table.Td ta="right" ff="monospace">
                  {formatAmount(row.amountCurrency)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
