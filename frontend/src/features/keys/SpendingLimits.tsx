import { ActionIcon, Button, Checkbox, Input, Select, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';

import type { Currency } from '@/api/generated/core.gen';

import classes from './KeyForm.module.css';
import { type KeyValues, MOST_SPENDING_LIMITS, SPENDING_PERIODS, type SpendingRow } from './keyValues';
import { LimitField } from './LimitField';

const CURRENCIES: Currency[] = ['RUBLE', 'TOKEN'];
const AMOUNT = { root: classes.contents ?? '', wrapper: classes.amount ?? '', error: classes.error ?? '' };

interface Props {
  form: UseFormReturnType<KeyValues>;
  /** Of a row that is added. */
  currency: Currency;
}

/** Spending limits per period. The focus goes to what comes next: to an added amount, and from a removed one to the button that adds. */
export function SpendingLimits({ form, currency }: Props) {
  const { t } = useTranslation('Keys');
  const button = useRef<HTMLButtonElement>(null);
  const rows = form.values.spending;
  const add = () => {
    flushSync(() =>
      form.insertListItem('spending', {
        amount: '',
        currency,
        period: 'DAY',
        availableImmediately: true,
      } satisfies SpendingRow),
    );
    form.getInputNode(`spending.${rows.length}.amount`)?.focus();
  };
  const remove = (index: number) => {
    flushSync(() => form.removeListItem('spending', index));
    button.current?.focus();
  };
  return (
    <Input.Wrapper
      label={t('spending')}
      description={t('spendingHint')}
      error={form.errors.spending}
      errorProps={{ mt: 'xs' }}
    >
      <Stack gap="sm" mt="xs">
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that tells them apart
          <Row key={index} form={form} index={index} row={row} onRemove={() => remove(index)} />
        ))}
        {rows.length < MOST_SPENDING_LIMITS && (
          <Button
            ref={button}
            size="xs"
            variant="default"
            w="fit-content"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={add}
          >
            {t('addSpending')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

interface RowProps {
  form: UseFormReturnType<KeyValues>;
  index: number;
  row: SpendingRow;
  onRemove: () => void;
}

/** Its errors stand below its amount, also those of its period and currency. */
function Row({ form, index, row, onRemove }: RowProps) {
  const { t } = useTranslation('Keys');
  const change = (part: Partial<SpendingRow>) => {
    form.setFieldValue(`spending.${index}`, { ...row, ...part });
    form.clearFieldError(`spending.${index}.amount`);
  };
  return (
    <div>
      <div className={classes.row}>
        <LimitField
          decimal
          aria-label={t('amount')}
          classNames={AMOUNT}
          {...form.getInputProps(`spending.${index}.amount`)}
        />
        <Select
          className={classes.currency ?? ''}
          aria-label={t('currency')}
          allowDeselect={false}
          data={CURRENCIES.map((value) => ({ value, label: t(`Money:names.${value}`) }))}
          value={row.currency}
          onChange={(value) => change({ currency: CURRENCIES.find((known) => known === value) ?? row.currency })}
        />
        <Select
          className={classes.period ?? ''}
          aria-label={t('per')}
          allowDeselect={false}
          data={SPENDING_PERIODS.map((value) => ({ value, label: t(`each.${value}`) }))}
          value={row.period}
          onChange={(value) => change({ period: SPENDING_PERIODS.find((known) => known === value) ?? row.period })}
        />
        <ActionIcon
          className={classes.remove ?? ''}
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('App:delete')}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </div>
      <Checkbox
        mt={6}
        size="xs"
        label={t('immediately')}
        checked={row.availableImmediately}
        onChange={({ currentTarget }) => change({ availableImmediately: currentTarget.checked })}
      />
    </div>
  );
}
