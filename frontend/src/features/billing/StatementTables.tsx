import { Anchor, Box, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { StatementItem } from '@/api/generated/billing.gen';
import { formatNumber } from '@/lib/format/number';
import { written } from '@/lib/format/time';

import { behindOf } from './behind';
import { formatExact } from './exact';
import type { DayRow } from './items';

interface Row {
  key: string;
  name: string;
  /** What it is, if its name does not say it. */
  kind: string | null;
  calls: number;
  amount: string;
  onOpen: (() => void) | null;
}

interface Props {
  items: readonly StatementItem[];
  names: readonly string[];
  decimals: number;
  onOpen: (behind: string) => void;
}

const RENTED = new Set(['SERVER', 'QUOTA', 'RESOURCE_GROUP']);

/** The largest amount first; each opens the calls or rents that it consists of. */
export function ItemTable({ items, names, decimals, onOpen }: Props) {
  const { t } = useTranslation('Billing');
  const rows = items.map((item, index): Row => {
    const behind = behindOf(item);
    return {
      key: `${item.kind}/${item.id}/${item.accountId}/${item.name}`,
      name: names[index] ?? '',
      kind: RENTED.has(item.kind) ? t(`kinds.${item.kind}`) : null,
      calls: item.callsCount,
      amount: item.amount,
      onOpen: behind === null ? null : () => onOpen(behind),
    };
  });
  return <Rows head={t('name')} rows={rows} decimals={decimals} />;
}

/** The newest day first. */
export function DayTable({
  days,
  decimals,
  onOpen,
}: {
  days: readonly DayRow[];
  decimals: number;
  onOpen: (day: string) => void;
}) {
  const { t, i18n } = useTranslation('Billing');
  const format = new Intl.DateTimeFormat(i18n.language, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const rows = days.map(({ day, calls, amount }): Row => ({
    key: day,
    name: written(format, day),
    kind: null,
    calls,
    amount,
    onOpen: amount === '0' && calls === 0 ? null : () => onOpen(day),
  }));
  return <Rows head={t('day')} rows={rows.toReversed()} decimals={decimals} />;
}

function Rows({ head, rows, decimals }: { head: string; rows: readonly Row[]; decimals: number }) {
  const { t, i18n } = useTranslation('Billing');
  return (
    <>
      <Table visibleFrom="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{head}</Table.Th>
            <Table.Th ta="right">{t('calls')}</Table.Th>
            <Table.Th ta="right">{t('amount')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td>
                <Name row={row} />
              </Table.Td>
              <Table.Td ta="right" ff="monospace">
                {row.calls > 0 ? formatNumber(row.calls, i18n.language) : '–'}
              </Table.Td>
              <Table.Td ta="right">
                <Amount row={row} decimals={decimals} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Box hiddenFrom="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {rows.map((row) => (
          <Box component="li" key={row.key} py="xs" style={{ borderTop: '1px solid var(--mlp-border)' }}>
            <Group justify="space-between" gap="xs">
              <Text component="div" size="lg" fw={600}>
                <Amount row={row} decimals={decimals} />
              </Text>
              {row.calls > 0 && (
                <Text size="sm" c="dimmed">
                  {t('callsCount', { count: row.calls, shown: formatNumber(row.calls, i18n.language) })}
                </Text>
              )}
            </Group>
            <Name row={row} />
          </Box>
        ))}
      </Box>
    </>
  );
}

function Name({ row: { name, kind } }: { row: Row }): ReactNode {
  return (
    <Text component="span" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {name}{' '}
      {kind && (
        <Text span size="sm" c="dimmed">
          {kind}
        </Text>
      )}
    </Text>
  );
}

function Amount({ row: { name, amount, onOpen }, decimals }: { row: Row; decimals: number }) {
  const { t, i18n } = useTranslation('Billing');
  const text = formatExact(amount, decimals, i18n.language);
  if (!onOpen)
    return (
      <Text span inherit ff="monospace">
        {text}
      </Text>
    );
  return (
    <Anchor
      component="button"
      type="button"
      ff="monospace"
      inherit
      aria-label={t('open', { amount: text, name })}
      onClick={onOpen}
    >
      {text}
    </Anchor>
  );
}
