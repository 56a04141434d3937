import { ActionIcon, Button, Checkbox, Group, Input, NumberInput, Select, Stack } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Currency } from '@/api/generated/core.gen';
import { useSettings } from '@/lib/session';

import { MOST_SPENDING_LIMITS, SPENDING_PERIODS, type SpendingRow } from './keyValues';

const CURRENCIES: Currency[] = ['RUBLE', 'TOKEN'];

interface Props {
  rows: SpendingRow[];
  error?: ReactNode;
  onChange: (rows: SpendingRow[]) => void;
}

/** Spending limits per period. */
export function SpendingLimits({ rows, error, onChange }: Props) {
  const { t } = useTranslation('Keys');
  const { data: settings } = useSettings();
  const change = (index: number, part: Partial<SpendingRow>) => onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const add = () => onChange([...rows, { amount: '', currency: settings?.currencyType ?? 'RUBLE', period: 'DAY', availableImmediately: true }]);
  return (
    <Input.Wrapper label={t('spending')} description={t('spendingHint')} error={error}>
      <Stack gap="xs" mt="xs">
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that tells them apart
          <Stack key={index} gap={6}>
            <Group gap="xs" wrap="nowrap">
              <NumberInput flex={1} aria-label={t('amount')} min={0} decimalScale={9} value={row.amount} onChange={(amount) => change(index, { amount })} />
              <Select
                w={110}
                aria-label={t('currency')}
                allowDeselect={false}
                data={CURRENCIES.map((value) => ({ value, label: t(`Money:names.${value}`) }))}
                value={row.currency}
                onChange={(value) => change(index, { currency: CURRENCIES.find((known) => known === value) ?? row.currency })}
              />
              <Select
                w={130}
                aria-label={t('per')}
                allowDeselect={false}
                data={SPENDING_PERIODS.map((value) => ({ value, label: t(`each.${value}`) }))}
                value={row.period}
                onChange={(value) => change(index, { period: SPENDING_PERIODS.find((known) => known === value) ?? row.period })}
              />
              <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('App:delete')} onClick={() => onChange(rows.filter((_, at) => at !== index))}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
            <Checkbox size="xs" label={t('immediately')} checked={row.availableImmediately} onChange={({ currentTarget }) => change(index, { availableImmediately: currentTarget.checked })} />
          </Stack>
        ))}
        {rows.length < MOST_SPENDING_LIMITS && (
          <Button size="xs" variant="default" w="fit-content" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
            {t('addSpending')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
