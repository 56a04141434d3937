import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './charts.module.css';
import { useFormats } from './formats';
import type { ChartSeries } from './series';

interface Props {
  title: string;
  times: readonly number[];
  series: readonly ChartSeries[];
  days: boolean;
  totals?: readonly string[] | undefined;
  notes?: ReadonlyMap<number, readonly string[]> | undefined;
  remarks?: readonly string[] | undefined;
  format?: ((value: number) => string) | undefined;
  timeZone?: string | undefined;
}

/** The values of a chart as a table, newest first. */
export function ChartTable({ title, times, series, days, totals, notes, remarks = [], format, timeZone }: Props) {
  const { t } = useTranslation('Chart');
  const formats = useFormats(timeZone);
  const text = ({ values, texts }: ChartSeries, index: number) => {
    const value = values[index] ?? null;
    return value === null ? '–' : (texts?.[index] ?? (format ?? formats.value)(value));
  };
  const hasNotes = notes !== undefined && notes.size > 0;
  return (
    // The keyboard must be able to scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.table} aria-label={title} tabIndex={0}>
      <Table stickyHeader fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t(days ? 'day' : 'time')}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
            {totals && <Table.Th ta="right">{t('total')}</Table.Th>}
            {hasNotes && <Table.Th>{t('events')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times
            .map((time, index) => (
              <Table.Tr key={time}>
                <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                  {formats.moment(time, days)}
                </Table.Th>
                {series.map((one) => (
                  <Table.Td key={one.name} ta="right" ff="monospace">
                    {text(one, index)}
                  </Table.Td>
                ))}
                {totals && (
                  <Table.Td ta="right" ff="monospace" fw={600}>
                    {totals[index]}
                  </Table.Td>
                )}
                {hasNotes && <Table.Td>{notes?.get(index)?.join('; ')}</Table.Td>}
              </Table.Tr>
            ))
            .toReversed()}
        </Table.Tbody>
      </Table>
      {remarks.map((remark) => (
        <Text key={remark} size="sm" c="dimmed">
          {remark}
        </Text>
      ))}
    </section>
  );
}
