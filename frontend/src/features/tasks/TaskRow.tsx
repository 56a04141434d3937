import { ActionIcon, Anchor, Box, Collapse, Group, Progress, Stack, Text, UnstyledButton } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { JobStatus, ShortJobView } from '@/api/generated/core.gen';
import { Link } from '@/components/Link';
import { StateDot } from '@/components/StateDot';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { Duration } from '@/components/format/Duration';
import { entityLink } from '@/lib/format/entityLinks';
import { formatMoment } from '@/lib/format/time';

import { TaskError } from './TaskError';
import { clampedPercentage, DEPTH, isFinished, isInProgress, listed, secondsOf } from './tasks';
import { useStepName } from './useStepName';

const COLOURS: Partial<Record<JobStatus, string>> = {
  COMPLETED: 'green',
  FAILED: 'red',
  REVERTED: 'gray',
  REVERTING: 'yellow',
};

interface Props {
  task: ShortJobView;
  close?: () => void;
  depth?: number;
}

/** A task: operation, object, progress, duration, and a button to stop it. */
export function TaskRow({ task, close, depth = 1 }: Props) {
  const { t } = useTranslation('Tasks');
  const [opened, setOpened] = useState(false);
  const children = depth < DEPTH ? listed(task.children) : [];
  return (
    <Box
      px={depth === 1 ? 'md' : 0}
      py="xs"
      style={depth === 1 ? { borderTop: '1px solid var(--mlp-border)' } : undefined}
      data-testid="task"
    >
      <Head task={task} close={close} />
      <Facts task={task} />
      {children.length > 0 && (
        <>
          <UnstyledButton onClick={() => setOpened((now) => !now)} aria-expanded={opened} mt={4}>
            <Group gap={4}>
              {opened ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
              <Text size="xs" c="dimmed">
                {t('steps', { count: children.length })}
              </Text>
            </Group>
          </UnstyledButton>
          <Collapse expanded={opened}>
            <Box pl="md">
              {children.map((child) => (
                <TaskRow key={child.jobId} task={child} close={close} depth={depth + 1} />
              ))}
            </Box>
          </Collapse>
        </>
      )}
    </Box>
  );
}

function Head({ task, close }: { task: ShortJobView; close: (() => void) | undefined }) {
  const { t } = useTranslation('Tasks');
  const address = entityLink(task.operatedEntity);
  return (
    <Group wrap="nowrap" gap="xs" justify="space-between">
      <Text size="sm" fw={600} miw={0} style={{ overflowWrap: 'anywhere' }}>
        {t(`operation.${task.operation}`)}{' '}
        {address ? (
          <Anchor component={Link} to={address} inherit {...(close ? { onClick: close } : {})}>
            {task.operatedEntityName}
          </Anchor>
        ) : (
          task.operatedEntityName
        )}
      </Text>
      <Stop task={task} />
    </Group>
  );
}

function Stop({ task }: { task: ShortJobView }) {
  const { t } = useTranslation('Tasks');
  const [stop, { isLoading }] = coreApi.useCoreStopJobMutation();
  const toast = useProblemToast();
  if (!task.isInterruptible || task.interrupted || !isInProgress(task.viewStatus)) return null;
  const ask = async () => void toast(t('stopFailed'), (await stop({ taskId: Number(task.jobId) })).error);
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="red"
      loading={isLoading}
      aria-label={t('stop', { name: task.operatedEntityName })}
      onClick={() => void ask()}
    >
      <IconPlayerStop size={16} aria-hidden />
    </ActionIcon>
  );
}

function Facts({ task }: { task: ShortJobView }) {
  const { t } = useTranslation('Tasks');
  const running = !isFinished(task.viewStatus);
  const step = useStepName(task);
  return (
    <Stack gap={4}>
      {running && (
        <Progress
          size="xs"
          value={clampedPercentage(task.percentage)}
          color={COLOURS[task.viewStatus] ?? 'accent'}
          aria-label={t('progress')}
        />
      )}
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <StateDot state={`TASK_${task.viewStatus}`} />
        <Text size="xs" c="dimmed" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {running ? step : ''}
        </Text>
        <Lasts task={task} />
      </Group>
      <TaskError task={task} />
    </Stack>
  );
}

function Lasts({ task }: { task: ShortJobView }) {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: task.endTime === null });
  return (
    <Text size="xs" c="dimmed" ff="monospace" title={formatMoment(task.runAt)}>
      <Duration seconds={secondsOf(task, now)} />
    </Text>
  );
}
