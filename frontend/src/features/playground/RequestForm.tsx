import { Alert, Button, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Answered } from '@/lib/predict/predict';
import { examplesOf } from '@/lib/taskTypes';
import { useSchemas } from '@/lib/predict/useSchemas';

import { CallFacts } from './CallFacts';
import { CallProblem } from './CallProblem';
import { ConfigInput } from '@/features/playground/input/ConfigInput';
import { Input } from '@/features/playground/input/Input';
import { Output } from '@/features/playground/output/Output';
import { SchemaHints } from './SchemaHints';
import type { Tried } from './tried';
import { useConfig } from './useConfig';
import { useDraft } from './useDraft';
import { type Run, useRun } from './useRun';

const HEAD = 34;

/** The input on the left, the output on the right. */
export function RequestForm({ tried, corner }: { tried: Tried; corner: ReactNode }) {
  const { account, model, taskType } = tried;
  const { t } = useTranslation('Playground');
  const schemas = useSchemas(account, model);
  const draft = useDraft(taskType);
  const config = useConfig();
  const run = useRun(account, model);
  const ready = draft.value.ok && config.value.ok;
  const start = () => {
    if (draft.value.ok && config.value.ok) void run.start(draft.value.value, config.value.value);
  };
  const head = (choice: ReactNode) => (
    <Group justify="space-between" wrap="nowrap" mih={HEAD}>
      <Title order={2}>{t('output')}</Title>
      <Group gap="xs" wrap="nowrap">
        {choice}
        {corner}
      </Group>
    </Group>
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="sm" miw={0}>
        <Group justify="space-between" mih={HEAD}>
          <Title order={2}>{t('input')}</Title>
          {draft.kind !== 'json' && draft.kind !== 'completion' && draft.kind !== 'dialogue' && (
            <SegmentedControl
              size="xs"
              aria-label={t('view')}
              value={draft.raw ? 'raw' : 'form'}
              onChange={(value) => draft.setRaw(value === 'raw')}
              data={[
                { value: 'form', label: t('form') },
                { value: 'raw', label: 'JSON' },
              ]}
            />
          )}
        </Group>
        <Examples taskType={taskType} onChoose={draft.setValue} />
        <Input draft={draft} onRun={start} schema={schemas?.data ?? null} />
        {draft.raw && schemas?.data && <SchemaHints schema={schemas.data} value={draft.value.ok ? draft.value.value : undefined} onExample={draft.setValue} />}
        {!draft.value.ok && <Alert color="yellow">{t('notJson')}</Alert>}
        <ConfigInput tried={tried} config={config} schema={schemas?.config ?? null} />
        <Group>
          {run.running ? (
            <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={run.stop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} disabled={!ready} onClick={start}>
              {t('run')}
            </Button>
          )}
          <Text size="sm" c="dimmed" visibleFrom="sm">
            Ctrl ⏎
          </Text>
        </Group>
      </Stack>
      <Stack gap="sm" miw={0} aria-live="polite" aria-busy={run.running}>
        {run.last && 'answer' in run.last.outcome ? <Result run={run.last} answer={run.last.outcome.answer} head={head} /> : head(null)}
        {run.last && 'problem' in run.last.outcome && <CallProblem problem={run.last.outcome.problem} />}
        {!run.last && <Waiting running={run.running} />}
      </Stack>
    </SimpleGrid>
  );
}

function Examples({ taskType, onChoose }: { taskType: string; onChoose: (value: unknown) => void }) {
  const { t } = useTranslation('Playground');
  const examples = examplesOf(taskType);
  if (examples.length < 2) return null;
  return (
    <Group gap={6}>
      {examples.map((example, index) => (
        <Button key={JSON.stringify(example)} size="compact-xs" variant="default" fw={400} onClick={() => onChoose(example)}>
          {t('example', { number: index + 1 })}
        </Button>
      ))}
    </Group>
  );
}

function Waiting({ running }: { running: boolean }) {
  const { t } = useTranslation('Playground');
  return (
    <Paper withBorder p="lg" mih={160}>
      <Text c="dimmed">{t(running ? 'running' : 'idle')}</Text>
    </Paper>
  );
}

function Result({ run: { request, config }, answer, head }: { run: Run; answer: Answered; head: (choice: ReactNode) => ReactNode }) {
  return (
    <Stack gap="sm" data-testid="answer">
      <Output call={{ request, config, answer: answer.body }} head={head} />
      <CallFacts answer={answer} />
    </Stack>
  );
}
