import { Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Answered } from '@/lib/predict/predict';

import { CallFacts } from './CallFacts';
import { CopyAsCode } from './CopyAsCode';
import { SaveExample } from './examples/SaveExample';
import { Output } from './output/Output';
import type { Tried } from './tried';
import type { Run } from './useRun';
import { Waking } from './Waking';

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

/** The place of the answer before there is one. */
export function Waiting({ running, tried }: { running: boolean; tried: Tried }) {
  const { t } = useTranslation('Playground');
  return (
    <Paper withBorder p="lg" mih={160}>
      {running && !tried.runs ? <Waking {...tried} /> : <Text c="dimmed">{t(running ? 'running' : 'idle')}</Text>}
    </Paper>
  );
}
