import { Alert, Button, Code, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Copy } from '@/components/Copy';
import { Json } from '@/components/Json';
import { ProblemView } from '@/components/ProblemView';
import type { Outcome } from '@/lib/predict';

import { Output } from './Output';
import { examplesOf, inputKind } from '@/lib/taskTypes';
import { parsed, useDraft } from './useDraft';
import { useRun } from './useRun';

interface Props {
  account: string;
  model: string;
  taskType: string;
}

/** Try a model: what goes in on the left, what comes out on the right. */
export function Playground({ account, model, taskType }: Props) {
  const { t } = useTranslation('Playground');
  const draft = useDraft(taskType);
  const run = useRun(account, model);
  const request = parsed(draft.text);
  const start = () => {
    if (request.ok) void run.start(request.value);
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t('input')}</Title>
          {inputKind(taskType) !== 'json' && (
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
        {draft.raw ? (
          <Json value={draft.text} label={t('input')} onChange={draft.setText} onRun={start} />
        ) : (
          <Textarea
            aria-label={t(`field.${inputKind(taskType)}`)}
            description={t(`field.${inputKind(taskType)}`)}
            autosize
            minRows={5}
            maxRows={16}
            value={draft.lines}
            onChange={({ currentTarget }) => draft.setLines(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
            }}
          />
        )}
        {!request.ok && <Alert color="yellow">{t('notJson')}</Alert>}
        <Group>
          {run.running ? (
            <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={run.stop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} disabled={!request.ok} onClick={start}>
              {t('run')}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            Ctrl ⏎
          </Text>
        </Group>
      </Stack>
      <Stack gap="sm" aria-live="polite" aria-busy={run.running}>
        <Title order={2}>{t('output')}</Title>
        {run.outcome ? <Result outcome={run.outcome} request={run.request} /> : <Waiting running={run.running} />}
      </Stack>
    </SimpleGrid>
  );
}

function Examples({ taskType, onChoose }: { taskType: string; onChoose: (value: unknown) => void }) {
  const { t } = useTranslation('Playground');
  return (
    <Group gap={6}>
      {examplesOf(taskType).map((example, index) => (
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

function Result({ outcome, request }: { outcome: Outcome; request: unknown }) {
  const { t } = useTranslation('Playground');
  if ('problem' in outcome) return <ProblemView problem={outcome.problem} />;
  const { answer } = outcome;
  return (
    <Stack gap="sm" data-testid="answer">
      <Output request={request} answer={answer.body} />
      <Group gap="lg">
        <Text size="sm" c="dimmed">
          {t('total', { ms: answer.totalMs })}
        </Text>
        {answer.serviceMs !== null && (
          <Text size="sm" c="dimmed">
            {t('service', { ms: answer.serviceMs })}
          </Text>
        )}
        {answer.requestId && (
          <Group gap={4}>
            <Code>{answer.requestId}</Code>
            <Copy value={answer.requestId} />
          </Group>
        )}
      </Group>
    </Stack>
  );
}
