import { Alert, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { type Example, useExamples } from '@/lib/predict/useExamples';
import { useSchemas } from '@/lib/predict/useSchemas';

import { CallProblem } from './CallProblem';
import { ExampleChips } from './examples/ExampleChips';
import { ConfigInput } from '@/features/playground/input/ConfigInput';
import { Input } from '@/features/playground/input/Input';
import { Result, Waiting } from './Result';
import { RunBar } from './RunBar';
import { SchemaHints } from './SchemaHints';
import type { Tried } from './tried';
import { useConfig } from './useConfig';
import { lacksFile, useDraft } from './useDraft';
import { useRun } from './useRun';

const HEAD = 34;

interface Props {
  tried: Tried;
  corner: ReactNode;
}

/** The input on the left, the output on the right. */
export function RequestForm(props: Props) {
  const { account, model, taskType } = props.tried;
  const examples = useExamples(account, model, taskType);
  return examples ? <Form {...props} examples={examples} /> : <Skeleton h={420} />;
}

function Form({ tried, corner, examples }: Props & { examples: readonly Example[] }) {
  const { account, model, taskType } = tried;
  const { t } = useTranslation('Playground');
  const schemas = useSchemas(account, model);
  const draft = useDraft(taskType, examples[0]?.request ?? {});
  const config = useConfig();
  const run = useRun(account, model);
  const noFile = lacksFile(draft);
  const ready = draft.value.ok && config.value.ok && !noFile;
  const start = () => {
    if (draft.value.ok && config.value.ok && !noFile) void run.start(draft.value.value, config.value.value);
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
        <ExampleChips tried={tried} examples={examples} onChoose={draft.setValue} />
        <Input draft={draft} onRun={start} schema={schemas?.data ?? null} />
        {draft.raw && schemas?.data && (
          <SchemaHints
            schema={schemas.data}
            value={draft.value.ok ? draft.value.value : undefined}
            onExample={draft.setValue}
          />
        )}
        {!draft.value.ok && <Alert color="yellow">{t('notJson')}</Alert>}
        <ConfigInput tried={tried} config={config} schema={schemas?.config ?? null} />
        <RunBar
          tried={tried}
          running={run.running}
          ready={ready}
          lacks={noFile ? t(draft.kind === 'audio' ? 'lacksAudio' : 'lacksFile') : null}
          onRun={start}
          onStop={run.stop}
        />
      </Stack>
      <Stack gap="sm" miw={0} aria-live="polite" aria-busy={run.running}>
        {run.last && 'answer' in run.last.outcome ? (
          <Result tried={tried} run={run.last} answer={run.last.outcome.answer} head={head} />
        ) : (
          head(null)
        )}
        {run.last && 'problem' in run.last.outcome && <CallProblem problem={run.last.outcome.problem} />}
        {!run.last && <Waiting running={run.running} tried={tried} />}
      </Stack>
    </SimpleGrid>
  );
}
