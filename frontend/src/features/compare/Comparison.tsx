import { Anchor, Badge, CloseButton, Group, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Link } from '@/components/Link';
import { Price } from '@/components/Price';
import { StateWithStart } from '@/components/StateWithStart';
import { formatRate, startSecondsOf } from '@/features/catalogue/statistics';
import { formatNumber } from '@/lib/format/number';
import { formatDuration } from '@/lib/format/time';
import { offerOf } from '@/lib/pricing';
import { useStartText } from '@/lib/useStartText';
import { useTaskNames } from '@/lib/useTaskNames';
import { stateOf } from '@/lib/waiting';

import classes from './Comparison.module.css';
import { bestOf, comparablePrice, waitOf } from './facts';

export interface Column {
  /** `account/service`. */
  name: string;
  model: ModelInfoData | undefined;
  error: Parameters<typeof asProblem>[0];
  again: () => void;
}

interface Props {
  columns: readonly Column[];
  onRemove: (name: string) => void;
  /** The answers of a run, as more rows. */
  children?: ReactNode;
}

/** Services side by side: a column each, a row for each fact. */
export function Comparison({ columns, onRemove, children }: Props) {
  const { t } = useTranslation('Compare');
  return (
    // Many columns scroll, and the keyboard must be able to scroll them.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.scroll} aria-label={t('title')} tabIndex={0}>
      <table className={classes.table} style={{ minWidth: 130 + columns.length * 210 }}>
        <thead>
          <tr>
            <td className={classes.label}>
              <VisuallyHidden>{t('title')}</VisuallyHidden>
            </td>
            {columns.map(({ name, model }) => (
              <th key={name} scope="col">
                <Group justify="space-between" wrap="nowrap" align="flex-start" gap={4}>
                  <Anchor component={Link} to={`/catalog/${name}`} fw={600}>
                    {model?.displayName ?? name}
                  </Anchor>
                  <CloseButton size="sm" aria-label={t('removeOf', { name })} onClick={() => onRemove(name)} />
                </Group>
                <Text size="xs" c="dimmed" ff="monospace">
                  {name}
                </Text>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Facts columns={columns} />
          {children}
        </tbody>
      </table>
    </section>
  );
}

interface Fact {
  name: string;
  shown: (model: ModelInfoData) => ReactNode;
  best?: ReadonlySet<number>;
}

function Facts({ columns }: { columns: readonly Column[] }) {
  const { t } = useTranslation('Compare');
  const names = useTaskNames();
  const startText = useStartText();
  const models = columns.flatMap(({ model }) => (model ? [model] : []));
  const each = (value: (model: ModelInfoData) => number | null) =>
    columns.map(({ model }) => (model ? value(model) : null));
  const facts: Fact[] = [
    {
      name: t('price'),
      shown: (model) => <Price model={model} />,
      best: bestOf(
        each((model) => comparablePrice(model, models)),
        'low',
      ),
    },
    { name: t('free'), shown: (model) => freeUnits(model) },
    {
      name: t('latency'),
      shown: ({ callStatistics }) =>
        callStatistics?.medianLatencyMs == null ? null : formatDuration(callStatistics.medianLatencyMs / 1000),
      best: bestOf(
        each(({ callStatistics }) => callStatistics?.medianLatencyMs ?? null),
        'low',
      ),
    },
    {
      name: t('success'),
      shown: ({ callStatistics }) =>
        callStatistics?.successRate == null ? null : formatRate(callStatistics.successRate),
      best: bestOf(
        each(({ callStatistics }) => callStatistics?.successRate ?? null),
        'high',
      ),
    },
    {
      name: t('calls'),
      shown: ({ callStatistics }) =>
        callStatistics && t('callsIn', { shown: formatNumber(callStatistics.calls), count: callStatistics.days }),
    },
    {
      name: t('state'),
      shown: (model) => (
        <StateWithStart
          state={stateOf(model)}
          start={model.start}
          text={startText(stateOf(model), startSecondsOf(model), { alone: true })}
        />
      ),
      best: bestOf(each(waitOf), 'low'),
    },
    {
      name: t('timeout'),
      shown: ({ timeouts }) => (timeouts.predictTimeoutSec ? formatDuration(timeouts.predictTimeoutSec) : null),
    },
    {
      name: t('visitors'),
      shown: ({ publicSettings }) =>
        publicSettings.visitorCallsPerDay
          ? t('perDay', { shown: formatNumber(publicSettings.visitorCallsPerDay) })
          : t('noVisitors'),
    },
    { name: t('task'), shown: ({ taskType }) => names(taskType) },
    { name: t('languages'), shown: ({ languages }) => languages.join(', ') || null },
  ];
  return facts.map((fact) => (
    <tr key={fact.name}>
      <th scope="row" className={classes.label}>
        {fact.name}
      </th>
      {columns.map((column, index) => (
        <td key={column.name}>
          <Value column={column} fact={fact} best={fact.best?.has(index) ?? false} first={fact === facts[0]} />
        </td>
      ))}
    </tr>
  ));
}

function Value({
  column: { model, error, again },
  fact,
  best,
  first,
}: {
  column: Column;
  fact: Fact;
  best: boolean;
  first: boolean;
}) {
  const { t } = useTranslation('Compare');
  const problem = asProblem(error);
  if (!model) return problem ? first && <ProblemView problem={problem} again={again} /> : <Skeleton h={20} />;
  return (
    <Group gap={8} className={best ? (classes.best ?? '') : ''}>
      {fact.shown(model) ?? '–'}
      {best && (
        <Badge size="sm" variant="default">
          {t('best')}
        </Badge>
      )}
    </Group>
  );
}

function freeUnits({ billingSettings }: ModelInfoData): string | null {
  const offer = offerOf(billingSettings, 0);
  return offer && offer.freeUnits > 0 ? formatNumber(offer.freeUnits) : null;
}
