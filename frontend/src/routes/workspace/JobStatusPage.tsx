import { Paper, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { memo, useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { Page } from '@/components/Page';
import { ProblemView } from '@/components/feedback/ProblemView';
import { TaskRow } from '@/features/tasks/TaskRow';
import { inTab, listed, type TaskTab } from '@/features/tasks/tasks';
import { TASK_POLL } from '@/lib/polls';

const Row = memo(TaskRow);

const TABS: TaskTab[] = ['all', 'progress', 'completed'];

/** Background tasks with room to read them: what the header shows in brief. */
export function JobStatusPage() {
  const { t } = useTranslation('Tasks');
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'all';
  const { data: read, error, refetch } = coreApi.useCoreShortTasksViewQuery(undefined, TASK_POLL);
  const problem = asProblem(error);
  // Many rows are rendered in pieces, between which the page answers.
  const [data, shownTab] = [useDeferredValue(read), useDeferredValue(tab)];
  const shown = listed(data ?? []).filter((task) => inTab(shownTab, task));
  return (
    <Page title={t('title')} subtitle={t('subtitle')}>
      <SegmentedControl
        w="fit-content"
        aria-label={t('title')}
        value={tab}
        onChange={(value) => setParams(value === 'all' ? {} : { tab: value })}
        data={TABS.map((value) => ({ value, label: t(`tab.${value}`) }))}
      />
      {problem && !data && <ProblemView problem={problem} again={() => void refetch()} />}
      {!data && !problem && <Skeleton h={200} />}
      {data && shown.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {shown.length > 0 && (
        <Paper withBorder>
          <Stack gap={0}>
            {shown.map((task) => (
              <Row key={task.jobId} task={task} />
            ))}
          </Stack>
        </Paper>
      )}
    </Page>
  );
}
