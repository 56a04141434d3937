import { ActionIcon, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { written } from '@/lib/format/time';

import { type Choice, CHOICES, dayOf, faultOf, movedMonth, type Period } from './period';

interface Props {
  period: Period;
  now: Date;
  onChange: (changes: Record<string, string | null>) => void;
}

/** The one period of a page: it rules the chart, the table and the file. */
export function PeriodControl({ period, now, onChange }: Props) {
  const { t } = useTranslation('Billing');
  const choose = (choice: Choice) =>
    onChange({
      period: choice === '30' ? null : choice,
      month: choice === 'month' ? period.last.slice(0, 7) : null,
      first: choice === 'custom' ? period.first : null,
      last: choice === 'custom' ? period.last : null,
    });
  return (
    <Group gap="sm" align="flex-start" maw="100%">
      <SegmentedControl
        aria-label={t('period')}
        value={period.choice}
        onChange={choose}
        data={CHOICES.map((value) => ({ value, label: t(`periods.${value}`) }))}
        maw="100%"
        style={{ overflowX: 'auto' }}
      />
      {period.choice === 'month' && <Months month={period.first.slice(0, 7)} now={now} onChange={onChange} />}
      {period.choice === 'custom' && (
        <Days key={`${period.first}/${period.last}`} period={period} onChange={onChange} />
      )}
    </Group>
  );
}

function Months({ month, now, onChange }: { month: string } & Pick<Props, 'now' | 'onChange'>) {
  const { t, i18n } = useTranslation('Billing');
  const name = written(
    new Intl.DateTimeFormat(i18n.language, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    `${month}-01`,
  );
  const move = (by: number) => onChange({ period: 'month', month: movedMonth(month, by) });
  return (
    <Group gap={4} wrap="nowrap" h={36}>
      <ActionIcon variant="subtle" color="gray" aria-label={t('earlier')} onClick={() => move(-1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <Text size="sm" miw={120} ta="center" aria-live="polite">
        {name}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('later')}
        disabled={month >= dayOf(now).slice(0, 7)}
        onClick={() => move(1)}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

/** Days are applied when both are valid. */
function Days({ period, onChange }: Pick<Props, 'period' | 'onChange'>) {
  const { t } = useTranslation('Billing');
  const [days, setDays] = useState({ first: period.first, last: period.last });
  const fault = days.first && days.last ? faultOf(days.first, days.last) : null;
  const change = (part: Partial<typeof days>) => {
    const next = { ...days, ...part };
    setDays(next);
    if (next.first && next.last && faultOf(next.first, next.last) === null) onChange({ period: 'custom', ...next });
  };
  return (
    <Group gap="xs" align="flex-start">
      <TextInput
        type="date"
        aria-label={t('first')}
        value={days.first}
        error={fault && t(`fault.${fault}`)}
        onChange={({ currentTarget }) => change({ first: currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={t('last')}
        value={days.last}
        onChange={({ currentTarget }) => change({ last: currentTarget.value })}
      />
    </Group>
  );
}
