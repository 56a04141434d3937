import { ActionIcon, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ChartTable } from './ChartTable';
import classes from './charts.module.css';
import { type ChartSeries, coloursOf, isEmpty } from './series';

export interface ChartProps {
  title: string;
  /** Seconds since 1970, ascending; undefined while they are loading. */
  times: readonly number[] | undefined;
  series: readonly ChartSeries[];
  /** The text of a value in the tooltip and the table. */
  format?: (value: number) => string;
  /** The text of a value at the axis. */
  axisFormat?: (value: number) => string;
  /** Height of the chart without title and legend, in all its states. */
  height?: number;
  /** Charts with the same key share one cursor and one time axis. */
  syncKey?: string;
  /** An IANA time zone; the browser's by default. */
  timeZone?: string;
  /** Why there is nothing. */
  empty?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
}

interface Props extends ChartProps {
  days: boolean;
  totals?: readonly string[];
  /** What happened at a time, by the index of the time, for the table. */
  notes?: ReadonlyMap<number, readonly string[]>;
  /** Sentences below the table. */
  remarks?: readonly string[];
  /** The chart; it gets the colours by name. */
  children: (loaded: { times: readonly number[]; colours: Map<string, string> }) => ReactNode;
}

export const HEIGHT = 220;

/** Title, the switch between chart and table, one of the four states in the same place, and the legend. */
export function Frame({
  title,
  times,
  series,
  format,
  height = HEIGHT,
  timeZone,
  empty,
  actions,
  days,
  totals,
  notes,
  remarks,
  children,
}: Props) {
  const { t } = useTranslation('Chart');
  const [asTable, setAsTable] = useState(false);
  const colours = useMemo(() => coloursOf(series), [series]);
  const nothing = times !== undefined && isEmpty(times, series);
  return (
    <figure className={classes.figure}>
      <Group justify="space-between" wrap="nowrap" mih={28} mb="xs">
        <Title order={3} component="figcaption">
          {title}
        </Title>
        <Group gap="xs" wrap="nowrap">
          {actions}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('asTable')}
            aria-pressed={asTable}
            title={t(asTable ? 'asChart' : 'asTable')}
            disabled={!times || nothing}
            onClick={() => setAsTable((now) => !now)}
          >
            {asTable ? <IconChartBar size={18} aria-hidden /> : <IconTable size={18} aria-hidden />}
          </ActionIcon>
        </Group>
      </Group>
      <div className={classes.body} style={{ height }} aria-busy={!times}>
        {!times && <Skeleton h={height} />}
        {nothing && <div className={classes.message}>{empty ?? <Text c="dimmed">{t('empty')}</Text>}</div>}
        {times &&
          !nothing &&
          (asTable ? (
            <ChartTable
              title={title}
              times={times}
              series={series}
              days={days}
              totals={totals}
              notes={notes}
              remarks={remarks}
              format={format}
              timeZone={timeZone}
            />
          ) : (
            children({ times, colours })
          ))}
      </div>
      <Legend names={nothing || !times ? [] : [...series].map(({ name }) => name)} colours={colours} title={title} />
    </figure>
  );
}

/** Has its height without entries too, so that nothing moves when they come. */
function Legend({ names, colours, title }: { names: readonly string[]; colours: Map<string, string>; title: string }) {
  const { t } = useTranslation('Chart');
  if (names.length === 0) return <div className={classes.legend} />;
  return (
    // Long legends scroll, and the keyboard must be able to scroll them.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ul className={classes.legend} aria-label={t('legend', { label: title })} tabIndex={0}>
      {names.map((name) => (
        <li key={name}>
          <span className={classes.swatch} style={{ background: colours.get(name) }} />
          {name}
        </li>
      ))}
    </ul>
  );
}
