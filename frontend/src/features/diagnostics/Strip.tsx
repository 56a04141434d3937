import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { CallSeriesData } from '@/api/generated/core.gen';
import { Sparkline } from '@/components/charts/Sparkline';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Money } from '@/components/format/Money';
import { When } from '@/components/format/When';
import { StateDot } from '@/components/StateDot';
import { formatNumber } from '@/lib/format/number';
import { formatDuration } from '@/lib/format/time';
import { useSettings } from '@/lib/session';
import { stateWith } from '@/lib/waiting';

import { countsOf } from './counts';
import { failedPart, lastWhole, linesOf, type Step } from './strip';
import classes from './Strip.module.css';
import type { Where } from './where';

const CallCharts = lazy(() => import('./CallCharts'));

const STATUS_POLL = { pollingInterval: 3000, skipPollingIfUnfocused: true };
const CALLS_POLL = { pollingInterval: 15_000, skipPollingIfUnfocused: true };
const STEPS: readonly Step[] = ['MINUTE', 'HOUR'];

interface Props {
  where: Where;
  external: boolean;
  /** Milliseconds since 1970; null: nobody has called the service. */
  lastCall: number | null;
}

/** How the service does: its instances now, its last call, and the calls of the last hour or day. */
export function Strip({ where, external, lastCall }: Props) {
  const { t } = useTranslation('Diagnostics');
  const [step, setStep] = useState<Step>('MINUTE');
  const [charts, setCharts] = useState(false);
  const {
    currentData,
    data = currentData,
    error,
    refetch,
  } = coreApi.useCoreGetCallSeriesQuery({ ...where, step }, CALLS_POLL);
  const problem = asProblem(error);
  return (
    <Stack gap="sm" component="section" aria-label={t('strip.title')}>
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t('strip.period')}
          data={STEPS.map((value) => ({ value, label: t(`strip.steps.${value}`) }))}
          value={step}
          onChange={(value) => setStep(value === 'HOUR' ? 'HOUR' : 'MINUTE')}
        />
        <Button
          size="xs"
          variant="default"
          aria-expanded={charts}
          leftSection={<IconChartLine size={16} aria-hidden />}
          onClick={() => setCharts((now) => !now)}
        >
          {t(charts ? 'strip.hideCharts' : 'strip.showCharts')}
        </Button>
      </Group>
      <dl className={classes.strip} aria-busy={!currentData && !problem}>
        <Now where={where} external={external} />
        <Figure name={t('strip.lastCall')} word>
          {lastCall === null ? t('strip.noCall') : <When at={lastCall} />}
        </Figure>
        <Calls data={data} />
      </dl>
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {charts && data && (
        <Suspense fallback={<Skeleton h={260} />}>
          <CallCharts series={data} />
        </Suspense>
      )}
    </Stack>
  );
}

function Now({ where, external }: { where: Where; external: boolean }) {
  const { t } = useTranslation('Diagnostics');
  const { data } = coreApi.useCoreGetModelStatusQuery(where, STATUS_POLL);
  const counts = countsOf(data?.instances ?? undefined, external);
  return (
    <>
      <Figure name={t('column.state')} word>
        {data ? <StateDot state={stateWith(data.state, data.waiting, data.start)} /> : <Skeleton h={20} w={80} />}
      </Figure>
      <Figure
        name={t(counts.active === null ? 'requested' : 'active')}
        aside={counts.failing > 0 ? `${t('failing')}: ${counts.failing}` : null}
      >
        {counts.active === null ? counts.wanted : `${counts.active} / ${counts.wanted}`}
      </Figure>
    </>
  );
}

function Calls({ data }: { data: CallSeriesData | undefined }) {
  const { t } = useTranslation('Diagnostics');
  const { data: settings } = useSettings();
  const lines = data && linesOf(data);
  const total = data?.total;
  const part = total ? failedPart(total) : null;
  const last = data && lastWhole(data.points);
  const most = Math.max(0, ...(lines?.calls ?? []));
  return (
    <>
      <Figure
        name={t(data?.stepSec === 3600 ? 'strip.perHour' : 'strip.perMinute')}
        aside={total && t('strip.inAll', { shown: formatNumber(total.calls) })}
        spark={<Sparkline label={t('strip.callsLine', { shown: formatNumber(most) })} values={lines?.calls} />}
      >
        {data && formatNumber(last?.calls ?? 0)}
      </Figure>
      <Figure
        name={t('strip.p95')}
        aside={
          total &&
          total.medianLatencyMs !== null &&
          t('strip.median', { time: formatDuration(total.medianLatencyMs / 1000) })
        }
        spark={<Sparkline label={t('strip.p95Line')} values={lines?.p95} />}
      >
        {total && (total.p95LatencyMs === null ? '–' : formatDuration(total.p95LatencyMs / 1000))}
      </Figure>
      <Figure
        name={t('strip.errors')}
        aside={part !== null && part > 0 && t('strip.part', { percent: formatNumber(Math.ceil(part * 1000) / 10) })}
        spark={
          <Sparkline label={t('strip.errorsLine')} values={lines?.failed} colour="var(--mantine-color-red-text)" />
        }
      >
        {total && formatNumber(total.failedCalls)}
      </Figure>
      {settings?.isBillingEnabled !== false && (
        <Figure
          name={t('strip.income')}
          aside={total && t('strip.incomeHint')}
          spark={<Sparkline label={t('strip.incomeLine')} values={lines?.amount} />}
        >
          {total && <Money amount={total.amount} price short />}
        </Figure>
      )}
    </>
  );
}

interface FigureProps {
  name: string;
  aside?: ReactNode;
  spark?: ReactNode;
  /** It is no number. */
  word?: boolean;
  children: ReactNode;
}

function Figure({ name, aside, spark, word = false, children }: FigureProps) {
  return (
    <div className={classes.figure}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" className={classes.value ?? ''} {...(!word && { ff: 'monospace' })}>
        {children ?? <Skeleton h={20} w={60} />}
      </Text>
      <Text component="dd" m={0} size="xs" c="dimmed" className={classes.aside ?? ''}>
        {aside}
      </Text>
      <dd className={classes.spark} style={{ margin: 'auto 0 0' }}>
        {spark}
      </dd>
    </div>
  );
}
