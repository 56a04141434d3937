import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { BalanceChange } from '@/api/generated/billing.gen';
import { written } from '@/lib/format/time';

import { decimalsOf, formatExact } from './exact';

const MOVES = ['refills', 'bonuses', 'fromIncome', 'calls', 'hosting'] as const;

interface Props {
  change: BalanceChange;
  direction: 'SPENDING' | 'INCOME';
  first: string;
  last: string;
}

/** How the balance came from its first to its last figure: the rows add up exactly. */
export function BalanceRows({ change, direction, first, last }: Props) {
  const { t, i18n } = useTranslation('Billing');
  const decimals = decimalsOf(Object.values(change));
  const format = new Intl.DateTimeFormat(i18n.language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const text = (amount: string, signed = false) =>
    `${signed && !amount.startsWith('-') ? '+' : ''}${formatExact(amount, decimals, i18n.language)}`;
  const rows: [name: string, amount: string, strong: boolean][] = [
    [t('opening', { day: written(format, first) }), text(change.opening), true],
    ...MOVES.filter((move) => change[move] !== '0').map((move): [string, string, boolean] => [
      t(`moves.${direction}.${move}`),
      text(change[move], true),
      false,
    ]),
    [t('closing', { day: written(format, last) }), text(change.closing), true],
  ];
  return (
    <Paper withBorder p="md" component="section" aria-label={t('change')}>
      <Title order={3} mb="xs">
        {t('change')}
      </Title>
      <Stack gap={4} component="dl" m={0}>
        {rows.map(([name, amount, strong]) => (
          <Group key={name} justify="space-between" wrap="nowrap">
            <Text component="dt" size="sm" {...(strong ? { fw: 600 } : { c: 'dimmed' })}>
              {name}
            </Text>
            <Text
              component="dd"
              m={0}
              size="sm"
              ff="monospace"
              {...(strong && { fw: 600 })}
              style={{ whiteSpace: 'nowrap' }}
            >
              {amount}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
