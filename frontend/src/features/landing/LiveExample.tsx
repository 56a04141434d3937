import { Anchor, Button, Group, Paper, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Link } from '@/components/Link';
import { modelAddress } from '@/features/catalogue/ModelCard';
import { Output } from '@/features/playground/output/Output';
import { useRun } from '@/features/playground/useRun';
import { Waking } from '@/features/playground/Waking';
import { useDraft } from '@/features/playground/useDraft';
import { formatDuration } from '@/lib/format/time';
import { tryOut } from '@/lib/predict/predict';
import { visitorSnippet } from '@/lib/predict/snippets';
import { useExamples } from '@/lib/predict/useExamples';
import { inputKind } from '@/lib/taskTypes';

import { EXAMPLE_HEIGHT } from './tried';

const JsonEditor = lazy(() => import('@/components/code/JsonEditor'));
const LOOKED_AT = 10;

/** The service of the example: most called, running, and with a request that is one text field. */
export function chosenFrom(models: readonly ModelInfoData[]): ModelInfoData | undefined {
  return models.find(({ state, taskType }) => state === 'RUNNING' && ['text', 'texts'].includes(inputKind(taskType)));
}

/** A service that visitors call without signing in; nothing if no service is open to them now. */
export function LiveExample() {
  const { data, isError } = coreApi.useCoreGetPublicModelsQuery({
    onlyPublic: true,
    onlyForVisitors: true,
    size: LOOKED_AT,
    sort: 'popularity,desc',
  });
  const model = data && chosenFrom(data.records);
  if (isError && !data) return null; // the page says what the platform is without it
  if (!data) return <Skeleton h={EXAMPLE_HEIGHT} />;
  return model ? <Example model={model} /> : null;
}

/** `onItsPage`: on the page of the service, which says what it is. */
export function Example({ model, onItsPage = false }: { model: ModelInfoData; onItsPage?: boolean }) {
  const account = model.modelAccountName ?? String(model.id.accountId);
  const examples = useExamples(account, model.modelName, model.taskType);
  if (!examples) return <Skeleton h={EXAMPLE_HEIGHT} />;
  return <Form model={model} account={account} onItsPage={onItsPage} first={examples[0]?.request ?? {}} />;
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

function Form({
  model,
  account,
  first,
  onItsPage,
}: {
  model: ModelInfoData;
  account: string;
  first: unknown;
  onItsPage: boolean;
}) {
  const { t } = useTranslation('Landing');
  const draft = useDraft(model.taskType, first);
  const request = draft.value.ok ? draft.value.value : null;
  const run = useRun(account, model.modelName, tryOut);
  const outcome = run.last?.outcome;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="live-example">
      <Stack gap="md">
        <Group justify="space-between" align="baseline">
          <Title order={2} fz="lg" id="live-example">
            {t('liveTitle')}
          </Title>
          {!onItsPage && (
            <Anchor component={Link} to={modelAddress(model)}>
              {model.displayName ?? model.modelName}
            </Anchor>
          )}
        </Group>
        {!onItsPage && <Text c="dimmed">{model.shortDescription}</Text>}
        {draft.kind === 'json' ? (
          <Suspense fallback={<Skeleton h={120} />}>
            <JsonEditor label={t('liveRequest')} value={draft.text} onChange={draft.setText} />
          </Suspense>
        ) : (
          // One line: the request of some services is a list, a text in each line.
          <Textarea
            label={t('liveInput')}
            autosize
            minRows={1}
            maxRows={6}
            maxLength={1000}
            value={draft.lines}
            onChange={({ currentTarget: { value } }) => draft.setLines(value)}
          />
        )}
        <Group>
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={run.running}
            disabled={!draft.value.ok}
            onClick={() => void run.start(request)}
          >
            {t('liveRun')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('liveFree')}
          </Text>
        </Group>
        <div aria-live="polite">
          {run.running && model.state !== 'RUNNING' && (
            <Waking account={account} model={model.modelName} startable={model.hostingType !== 'EXTERNAL'} />
          )}
          {outcome && 'problem' in outcome && <ProblemView problem={outcome.problem} />}
          {run.last && outcome && 'answer' in outcome && (
            <Output
              call={{ request: run.last.request, config: undefined, answer: outcome.answer.body }}
              head={(choice) => headOf(t('liveTime', { time: formatDuration(outcome.answer.totalMs / 1000) }), choice)}
            />
          )}
        </div>
        <Text size="sm">{t('liveSnippet')}</Text>
        <CodeBlock
          code={visitorSnippet({ origin: window.location.origin, account, model: model.modelName, data: request })}
          label={t('liveSnippet')}
        />
      </Stack>
    </Paper>
  );
}
