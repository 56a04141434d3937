import { skipToken } from '@reduxjs/toolkit/query/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi, type Problem } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { Link } from '@/components/Link';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { MOST, PARAMETER, useChosen } from '@/features/catalogue/choosing/chosen';
import { Answers } from '@/features/compare/Answers';
import { type Column, Comparison } from '@/features/compare/Comparison';
import { SharedExample } from '@/features/compare/SharedExample';
import { useRuns } from '@/features/compare/useRuns';
import { type Draft, useDraft } from '@/features/playground/useDraft';
import { hindranceOf, isOpenToVisitors } from '@/lib/hindrance';
import { whileStarting } from '@/lib/polls';
import { offerOf } from '@/lib/pricing';
import { type Example, useExamples } from '@/lib/predict/useExamples';
import { isMissing } from '@/lib/refusals';
import { useSession } from '@/lib/session';

/** Up to four services of the catalogue side by side. The address names them. */
export default function ComparePage() {
  const { t } = useTranslation('Compare');
  const { chosen, set } = useChosen();
  const back = `/catalog?${PARAMETER}=${chosen.map(encodeURIComponent).join(',')}`;
  return (
    <Page
      title={t('title')}
      subtitle={t('subtitle')}
      crumbs={[{ text: t('Header:catalog'), to: '/catalog' }]}
      action={
        chosen.length < MOST && (
          <Button component={Link} to={back} variant="default" leftSection={<IconPlus size={16} aria-hidden />}>
            {t('add')}
          </Button>
        )
      }
    >
      {chosen.length === 0 ? (
        <Empty title={t('empty')}>{t('hint', { most: MOST })}</Empty>
      ) : (
        <Compared chosen={chosen} onRemove={(name) => set(chosen.filter((one) => one !== name))} />
      )}
    </Page>
  );
}

/** Always the same number of queries; those without a service do not run. */
function useColumns(chosen: readonly string[]): Column[] {
  const found = [useModel(chosen[0]), useModel(chosen[1]), useModel(chosen[2]), useModel(chosen[3])];
  return chosen.map((name, index) => ({
    name,
    model: found[index]?.currentData,
    error: found[index]?.error,
    again: () => void found[index]?.refetch(),
  }));
}

function useModel(name: string | undefined) {
  const [account = '', model = ''] = name?.split('/') ?? [];
  const asked = name ? { account, model } : skipToken;
  const query = coreApi.useCoreGetModelInfoQuery(asked);
  coreApi.useCoreGetModelInfoQuery(asked, whileStarting(query.currentData));
  return query;
}

/** None of the services could be read, for a reason that concerns all: one error says it. A missing service has its own column, where it is removed. */
function sharedProblem(columns: readonly Column[]): Problem | null {
  const problems = columns.map(({ model, error }) => (model ? null : asProblem(error)));
  return problems.every((problem) => problem !== null && !isMissing(problem)) ? (problems[0] ?? null) : null;
}

function Compared({ chosen, onRemove }: { chosen: readonly string[]; onRemove: (name: string) => void }) {
  const session = useSession();
  const columns = useColumns(chosen);
  const { run, running, start } = useRuns();
  const [called, setCalled] = useState<ReadonlySet<string>>(new Set());
  const visitor = session.state === 'anonymous';
  const known = columns.flatMap(({ name, model }) => (model ? [{ name, model }] : []));
  const callable = known.filter(({ model }) =>
    visitor ? isOpenToVisitors(model) : hindranceOf(session, model) === null,
  );
  const first = known[0]?.model;
  const runAll = (request: unknown) => {
    setCalled(new Set(callable.map(({ name }) => name)));
    void start(
      callable.map(({ name, model }) => ({
        name,
        account: String(model.id.accountId),
        model: model.modelName,
        visitor,
      })),
      request,
    );
  };
  const problem = sharedProblem(columns);
  if (problem) return <ProblemView problem={problem} again={() => columns.forEach(({ again }) => again())} />;
  return (
    <Stack gap="lg">
      {first && (
        <FirstExamples key={`${first.id.accountId}/${first.id.modelId}`} model={first}>
          {(examples, draft) => (
            <SharedExample
              draft={draft}
              examples={examples}
              callable={callable.map(({ model }) => model)}
              running={running}
              charged={!visitor && callable.some(({ model }) => offerOf(model.billingSettings, 0) !== null)}
              onRun={runAll}
            />
          )}
        </FirstExamples>
      )}
      {!first && columns.some(({ error }) => !error) && <Skeleton h={200} />}
      <Comparison columns={columns} onRemove={onRemove}>
        {run && <Answers columns={columns} run={run} called={called} />}
      </Comparison>
    </Stack>
  );
}

interface FirstProps {
  model: ModelInfoData;
  children: (examples: readonly Example[], draft: Draft) => ReactNode;
}

/** The examples are those of the first service: what is compared should do the same. */
function FirstExamples({ model, children }: FirstProps) {
  const examples = useExamples(model.modelAccountName ?? String(model.id.accountId), model.modelName, model.taskType);
  return examples ? (
    <Drafted examples={examples} model={model}>
      {children}
    </Drafted>
  ) : (
    <Skeleton h={200} />
  );
}

function Drafted({ model, examples, children }: FirstProps & { examples: readonly Example[] }) {
  return children(examples, useDraft(model.taskType, examples[0]?.request ?? {}));
}
