import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Answered } from '@/lib/predict/predict';

import { CallFacts } from './CallFacts';
import { CopyAsCode } from './CopyAsCode';
import { SaveExample } from './examples/SaveExample';
import { Output } from './output/Output';
import type { Tried } from './tried';
import type { Run } from './useRun';

interface Props {
  tried: Tried;
  run: Run;
  answer: Answered;
  head: (choice: ReactNode) => ReactNode;
}

/** The answer with the facts of its call. */
export function Result({ tried, run: { request, config }, answer, head }: Props) {
  return (
    <Stack gap="sm" data-testid="answer">
      <Output call={{ request, config, answer: answer.body }} head={head} />
      <CallFacts answer={answer} />
      <Group gap="xs">
        <CopyAsCode tried={tried} data={request} config={config} />
        {tried.owner && config === undefined && <SaveExample tried={tried} request={request} answer={answer.body} />}
      </Group>
    </Stack>
  );
}

interface WaitingProps {
  running: boolean;
  /** How long the service needs to start, in seconds; null if it runs or nobody knows. */
  startSeconds: number | null;
}

/** The place of the answer before there is one. */
export function Waiting({ running, startSeconds }: WaitingProps) {
  const { t } = useTranslation('Playground');
  return (
    <Paper withBorder p="lg" mih={160}>
      <Text c="dimmed">{t(running ? 'running' : 'idle')}</Text>
      {running && startSeconds !== null && <Waking seconds={startSeconds} />}
    </Paper>
  );
}

const TICK_MS = 1000;

/** Mounted when the call begins: counts its seconds against the time that a start takes. */
function Waking({ seconds }: { seconds: number }) {
  const { t } = useTranslation('Playground');
  const [passed, setPassed] = useState(0);
  useInterval(() => setPassed((now) => now + 1), TICK_MS, { autoInvoke: true });
  return (
    <Stack gap={6} mt="sm">
      <Text size="sm" c="dimmed">
        {t('waking', { passed, seconds: Math.max(1, Math.round(seconds)) })}
      </Text>
      <Progress value={Math.min(95, (100 * passed) / Math.max(1, seconds))} size="sm" aria-hidden />
    </Stack>
  );
}
