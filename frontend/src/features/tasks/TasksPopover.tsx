import { ActionIcon, Popover, ScrollArea, Tabs } from '@mantine/core';
import { IconProgress } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ShortJobView } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { IndicatorDot } from '@/components/IndicatorDot';
import { ProblemView } from '@/components/ProblemView';
import { TASK_POLL } from '@/lib/polls';

import { TaskRow } from './TaskRow';
import { inTab, listed, taskIndicator, type TaskTab } from './tasks';

const TABS: TaskTab[] = ['all', 'progress', 'completed'];

export function TasksPopover() {
  const { t } = useTranslation('Tasks');
  const [opened, setOpened] = useState(false);
  const { data, error, refetch } = coreApi.useCoreShortTasksViewQuery(undefined, TASK_POLL);
  const all = listed(data ?? []);
  const tone = taskIndicator(all);
  const problem = asProblem(error);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width="min(420px, calc(100vw - 16px))" shadow="md" hideDetached={false} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" pos="relative" aria-label={tone ? t('titleUnread', { state: t(`tone.${tone}`) }) : t('title')} onClick={() => setOpened((now) => !now)}>
          <IconProgress size={20} stroke={1.5} aria-hidden />
          <IndicatorDot tone={tone} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        {problem && !data ? <ProblemView problem={problem} again={() => void refetch()} /> : <Lists all={all} close={() => setOpened(false)} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Lists({ all, close }: { all: ShortJobView[]; close: () => void }) {
  const { t } = useTranslation('Tasks');
  const [tab, setTab] = useState<TaskTab>('all');
  const [mark] = coreApi.useCoreMarkTasksReadMutation();
  const shown = all.filter((task) => inTab(tab, task));
  const unread = shown.filter(({ unreadStatus }) => unreadStatus).map(({ jobId }) => jobId).join(' ');
  // What is on the screen has been seen.
  useEffect(() => {
    if (unread) void mark({ jobId: unread.split(' ').map(Number) });
  }, [unread, mark]);
  return (
    <Tabs value={tab} onChange={(value) => setTab(TABS.find((known) => known === value) ?? 'all')}>
      <Tabs.List grow aria-label={t('title')}>
        {TABS.map((value) => (
          <Tabs.Tab key={value} value={value}>
            {t(`tab.${value}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        <ScrollArea.Autosize mah="60vh" viewportProps={{ tabIndex: 0, 'aria-label': t('title') }}>
          {shown.length === 0 ? <Empty title={t('none')}>{t('noneHint')}</Empty> : shown.map((task) => <TaskRow key={task.jobId} task={task} close={close} />)}
        </ScrollArea.Autosize>
      </Tabs.Panel>
    </Tabs>
  );
}
