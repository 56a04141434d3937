import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemView } from '@/components/feedback/ProblemView';
import { Output } from '@/features/playground/output/Output';
import { CurrencyOfCalls, useCost } from '@/features/playground/useCost';
import { formatDuration } from '@/lib/format/time';
import type { Outcome } from '@/lib/predict/predict';

import type { Column } from './Comparison';
import classes from './Comparison.module.css';
import { bestOf } from './facts';
import type { SharedRun } from './useRuns';

interface Props {
  columns: readonly Column[];
  run: SharedRun;
  /** Names of the services that were called. */
  called: ReadonlySet<string>;
}

const answerOf = (outcome: Outcome | undefined) => (outcome && 'answer' in outcome ? outcome.answer : null);

/** Time, cost and answer of each service for the same request. */
export function Answers({ columns, run, called }: Props) {
  const { t } = useTranslation('Compare');
  const outcomes = columns.map(({ name }) => run.outcomes[name]);
  const times = bestOf(
    outcomes.map((outcome) => answerOf(outcome)?.totalMs ?? null),
    'low',
  );
  const costs = bestOf(
    outcomes.map((outcome) => answerOf(outcome)?.cost ?? null),
    'low',
  );
  const row = (label: string, shown: (outcome: Outcome, column: Column) => ReactNode, best?: ReadonlySet<number>) => (
    <tr>
      <th scope="row" className={classes.label}>
        {label}
      </th>
      {columns.map((column, index) => {
        const outcome = outcomes[index];
        return (
          <td key={column.name} aria-live="polite">
            <Group gap={8} className={best?.has(index) ? (classes.best ?? '') : ''}>
              {outcome ? shown(outcome, column) : called.has(column.name) ? <Skeleton h={20} /> : '–'}
              {best?.has(index) && (
                <Badge size="sm" variant="default">
                  {t('best')}
                </Badge>
              )}
            </Group>
          </td>
        );
      })}
    </tr>
  );
  return (
    <>
      {row(
        t('time'),
        (outcome) => (
          <Text ff="monospace">
            {formatDuration((answerOf(outcome)?.totalMs ?? ('totalMs' in outcome ? outcome.totalMs : 0)) / 1000)}
          </Text>
        ),
        times,
      )}
      {row(
        t('cost'),
        (outcome, { model }) => (
          <CurrencyOfCalls value={model?.billingSettings.currency ?? null}>
            <Cost outcome={outcome} />
          </CurrencyOfCalls>
        ),
        costs,
      )}
      {row(t('answer'), (outcome) => (
        <Shown outcome={outcome} request={run.request} />
      ))}
    </>
  );
}

function Cost({ outcome }: { outcome: Outcome }) {
  const cost = useCost();
  const answer = answerOf(outcome);
  return answer?.cost == null ? '–' : cost(answer.cost);
}

function Shown({ outcome, request }: { outcome: Outcome; request: unknown }) {
  const answer = answerOf(outcome);
  return (
    <Stack w="100%" gap="xs" mah={420} style={{ overflow: 'auto' }}>
      {'problem' in outcome && <ProblemView problem={outcome.problem} />}
      {answer && <Output call={{ request, config: undefined, answer: answer.body }} head={(choice) => choice} />}
    </Stack>
  );
}
