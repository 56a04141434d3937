import { Drawer, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, billingApi } from '@/api';
import type { CallRow, Pagination, RentRow } from '@/api/generated/billing.gen';
import { Copy } from '@/components/code/Copy';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Pager } from '@/components/Pager';
import { formatMoment, writtenRange } from '@/lib/format/time';

import type { Behind } from './behind';
import { decimalsOf, formatExact } from './exact';

const SIZE = 50;

interface Props {
  accountId: number;
  direction: 'SPENDING' | 'INCOME';
  behind: Behind;
  first: string;
  last: string;
  keyName: (id: number) => string;
  onClose: () => void;
}

/** The calls and rents that a number consists of. */
export function Entries({ onClose, ...asked }: Props) {
  const { t, i18n } = useTranslation('Billing');
  const format = new Intl.DateTimeFormat(i18n.language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const { first, last, behind } = asked;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="min(720px, 100%)"
      title={t('behind', { days: writtenRange(format, first, last) })}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      <Stack gap="lg">
        {behind.calls && <Calls {...asked} wanted={behind.calls} />}
        {behind.rents && <Rents {...asked} wanted={behind.rents} />}
      </Stack>
    </Drawer>
  );
}

type PartProps<Wanted> = Omit<Props, 'onClose' | 'behind'> & { wanted: Wanted };

function Calls({ accountId, direction, first, last, keyName, wanted }: PartProps<NonNullable<Behind['calls']>>) {
  const { t } = useTranslation('Billing');
  const [page, setPage] = useState(1);
  const { data, error, refetch } = billingApi.useBillingListStatementCallsQuery({
    accountId,
    direction,
    first,
    last,
    ...wanted,
    page: page - 1,
    size: SIZE,
  });
  const row = (call: CallRow) => ({
    key: call.usageId,
    date: call.date,
    amount: call.amount,
    what: (
      <>
        {call.modelName}{' '}
        <Text span size="xs" c="dimmed">
          {direction === 'INCOME' ? call.payerName : call.keyId === null ? t('noKey') : keyName(call.keyId)}
        </Text>
        {call.requestId && (
          <Text size="xs" c="dimmed" ff="monospace" component="div">
            {call.requestId} <Copy value={call.requestId} />
          </Text>
        )}
      </>
    ),
  });
  return (
    <Part
      title={t('calls')}
      data={data && { ...data, rows: data.records.map(row) }}
      problem={asProblem(error)}
      again={() => void refetch()}
      page={page}
      onPage={setPage}
    />
  );
}

function Rents({ accountId, direction, first, last, wanted }: PartProps<NonNullable<Behind['rents']>>) {
  const { t } = useTranslation('Billing');
  const [page, setPage] = useState(1);
  const { data, error, refetch } = billingApi.useBillingListStatementRentsQuery({
    accountId,
    direction,
    first,
    last,
    ...wanted,
    page: page - 1,
    size: SIZE,
  });
  const row = (rent: RentRow) => ({
    key: rent.chargeId,
    date: rent.periodStart,
    amount: rent.amount,
    what: (
      <>
        {rent.sourceName}{' '}
        <Text span size="xs" c="dimmed">
          {t(`kinds.${rent.sourceType}`)}, {direction === 'INCOME' ? rent.payerName : rent.ownerName}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {t('rentUntil', { moment: formatMoment(rent.periodEnd), count: rent.periods })}
        </Text>
      </>
    ),
  });
  return (
    <Part
      title={t('hosting')}
      data={data && { ...data, rows: data.records.map(row) }}
      problem={asProblem(error)}
      again={() => void refetch()}
      page={page}
      onPage={setPage}
    />
  );
}

interface PartData {
  title: string;
  data:
    | { rows: { key: string; date: string; amount: string; what: ReactNode }[]; total: string; paging: Pagination }
    | undefined;
  problem: ReturnType<typeof asProblem>;
  again: () => void;
  page: number;
  onPage: (page: number) => void;
}

function Part({ title, data, problem, again, page, onPage }: PartData) {
  const { t, i18n } = useTranslation('Billing');
  const decimals = decimalsOf([...(data?.rows ?? []).map(({ amount }) => amount), data?.total ?? '0']);
  const text = (amount: string) => formatExact(amount, decimals, i18n.language);
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3}>{title}</Title>
      {problem && !data && <ProblemView problem={problem} again={again} />}
      {!data && !problem && <Skeleton h={160} />}
      {data?.rows.length === 0 && <Text c="dimmed">{t('nothing')}</Text>}
      {data && data.rows.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="1%">{t('amount')}</Table.Th>
              <Table.Th>{t('name')}</Table.Th>
              <Table.Th ta="right">{t('when')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.rows.map((row) => (
              <Table.Tr key={row.key}>
                <Table.Td ff="monospace" style={{ whiteSpace: 'nowrap' }}>
                  {text(row.amount)}
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.what}</Table.Td>
                <Table.Td ta="right">{formatMoment(row.date)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th ff="monospace">{text(data.total)}</Table.Th>
              <Table.Th colSpan={2}>{t('totalCount', { count: data.paging.totalElements })}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
      {data && <Pager page={page} pages={data.paging.totalPages} onPage={onPage} />}
    </Stack>
  );
}
