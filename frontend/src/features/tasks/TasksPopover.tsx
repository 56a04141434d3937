import { IconProgress } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

import { asProblem, coreApi } from '@/api';
import type { ShortJobView } from '@/api/generated/core.gen';
import { FeedPopover, FeedTabs } from '@/components/Feed';
import { ProblemView } from '@/components/feedback/ProblemView';
import { TASK_POLL } from '@/lib/polls';

import { TaskRow } from './TaskRow';
import { inTab, listed, taskIndicator, type TaskTab } from './tasks';

const TABS: TaskTab[] = ['all', 'progress', 'completed'];

export function TasksPopover() {
  const { data, error, refetch } = coreApi.useCoreShortTasksViewQuery(undefined, TASK_POLL);
  const all = listed(data ?? []);
  const problem = asProblem(error);
  return (
    <FeedPopover
      texts="Tasks"
      icon={<IconProgress size={20} stroke={1.5} aria-hidden />}
      width={420}
      tone={taskIndicator(all)}
    >
      {(close) =>
        problem && !data ? (
          <ProblemView problem={problem} again={() => void refetch()} />
        ) : (
          <Lists all={all} close={close} />
        )
      }
    </FeedPopover>
  );
}

function Lists({ all, close }: { all: ShortJobView[]; close: () => void }) {
  const [tab, setTab] = useState<TaskTab>('all');
  const [mark] = coreApi.useCoreMarkTasksReadMutation();
  const shown = all.filter((task) => inTab(tab, task));
  const unread = shown
    .filter(({ unreadStatus }) => unreadStatus)
    .map(({ jobId }) => jobId)
    .join(' ');
  // Everything on the screen counts as read.
  useEffect(() => {
    if (unread) void mark({ jobId: unread.split(' ').map(Number) });
  }, [unread, mark]);
  return (
    <FeedTabs texts="Tasks" tabs={TABS} tab={tab} onTab={setTab}>
      {shown.map((task) => (
        <TaskRow key={task.jobId} task={task} close={close} />
      ))}
    </FeedTabs>
  );
}
