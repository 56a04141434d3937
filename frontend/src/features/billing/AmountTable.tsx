import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Empty } from '@/components/Empty';
import { formatAmount } from '@/lib/format/money';
import { formatMoment } from '@/lib/format/time';

import type { Lines } from './lines';

/** Amounts with their sum. Omits columns that a statement lacks. */
export function AmountTable({ lines: { rows, total } }: { lines: Lines }) {
  const { t } = useTranslation('Balance');
  const dated = rows.some(({ date }) => date !== null);
  const counted = rows.some(({ calls }) => calls !== null);
  if (rows.length === 0) return <Empty title={t('nothing')}>{t('nothingHint')}</Empty>;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('what')}</Table.Th>
            {dated && <Table.Th>{t('when')}</Table.Th>}
            {counted && <Table.Th ta="right">{t('calls')}</Table.Th>}
            <Table.Th ta="right">{t('amount')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td>
                {row.name}{' '}
                {row.kind && (
                  <Text span size="sm" c="dimmed">
                    {t(row.kind)}
                  </Text>
                )}
              </Table.Td>
              {dated && <Table.Td>{row.date && formatMoment(row.date)}</Table.Td>}
              {counted && (
                <Table.Td ta="right" ff="monospace">
                  {row.calls}
                </Table.Td>
              )}
              <Table.Td ta="right" ff="monospace">
                {formatAmount(row.amount)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th colSpan={1 + Number(dated) + Number(counted)}>{t('total')}</Table.Th>
            <Table.Th ta="right" ff="monospace">
              {formatAmount(total)}
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}
