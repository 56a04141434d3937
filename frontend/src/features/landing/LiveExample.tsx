import { Anchor, Button, Group, Paper, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { ProblemView } from '@/components/feedback/ProblemView';
import { modelAddress } from '@/features/catalogue/ModelCard';
import { Output } from '@/features/playground/output/Output';
import { useRun } from '@/features/playground/useRun';
import { linesOf, withLines } from '@/features/playground/useDraft';
import { formatDuration } from '@/lib/format/time';
import { tryOut } from '@/lib/predict/predict';
import { visitorSnippet } from '@/lib/predict/snippets';
import { useExamples } from '@/lib/predict/useExamples';
import { inputKind } from '@/lib/taskTypes';

const LOOKED_AT = 10;

/** The service of the example: most called, running, and with a request that is one text field. */
export function chosenFrom(models: readonly ModelInfoData[]): ModelInfoData | undefined {
  return models.find(({ state, taskType }) => state === 'RUNNING' && ['text', 'texts'].includes(inputKind(taskType)));
}

/** A service that visitors call without signing in; nothing if no service is open to them now. */
export function LiveExample() {
  const { data } = coreApi.useCoreGetPublicModelsQuery({ onlyPublic: true, onlyForVisitors: true, size: LOOKED_AT, sort: 'popularity,desc' });
  const model = data && chosenFrom(data.records);
  if (!data) return <Skeleton h={260} />;
  return model ? <Example model={model} /> : null;
}

function Example({ model }: { model: ModelInfoData }) {
  const account = model.modelAccountName ?? String(model.id.accountId);
  const examples = useExamples(account, model.modelName, model.taskType);
  if (!examples) return <Skeleton h={260} />;
  return <Form model={model} account={account} first={examples[0]?.request ?? {}} />;
}

function headOf(time: string, choice: ReactNode): ReactNode {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {time}
      </Text>
      {choice}
    </Group>
  );
}

function Form({ model, account, first }: { model: ModelInfoData; account: string; first: unknown }) {
  const { t } = useTranslation('Landing');
  const kind = inputKind(model.taskType);
  const [request, setRequest] = useState(first);
  const run = useRun(account, model.modelName, tryOut);
  const outcome = run.last?.outcome;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="live-example">
      <Stack gap="md">
        <Group justify="space-between" align="baseline">
          <Title order={2} fz="lg" id="live-example">
            {t('liveTitle')}
          </Title>
          <Anchor component={Link} to={modelAddress(model)}>
            {model.displayName ?? model.modelName}
          </Anchor>
        </Group>
        <Text c="dimmed">{model.shortDescription}</Text>
        {/* One line: the request of some services is a list, a text in each line. */}
        <Textarea label={t('liveInput')} autosize minRows={1} maxRows={6} maxLength={1000} value={linesOf(kind, request)} onChange={({ currentTarget: { value } }) => setRequest((now: unknown) => withLines(kind, now, value))} />
        <Group>
          <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={run.running} onClick={() => void run.start(request)}>
            {t('liveRun')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('liveFree')}
          </Text>
        </Group>
        <div aria-live="polite">
          {outcome && 'problem' in outcome && <ProblemView problem={outcome.problem} />}
          {run.last && outcome && 'answer' in outcome && (
            <Output
              call={{ request: run.last.request, config: undefined, answer: outcome.answer.body }}
              head={(choice) => headOf(t('liveTime', { time: formatDuration(outcome.answer.totalMs / 1000) }), choice)}
            />
          )}
        </div>
        <Text size="sm">{t('liveSnippet')}</Text>
        <CodeBlock code={visitorSnippet({ origin: window.location.origin, account, model: model.modelName, data: request })} label={t('liveSnippet')} />
      </Stack>
    </Paper>
  );
}
