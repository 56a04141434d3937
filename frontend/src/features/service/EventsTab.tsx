import { Button, Group, Select, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { EventTable } from '@/components/events/EventTable';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';

const POLL_MS = 10_000;
const ON_A_PAGE = 50;
const LEVELS = ['INFO', 'WARNING', 'ERROR'];

/** Events of a service, newest first. */
export function EventsTab({ account, model }: { account: string; model: string }) {
  const { t } = useTranslation('Events');
  const { data, error, refetch } = coreApi.useCoreGetModelLogsQuery(
    { account, model },
    { pollingInterval: POLL_MS, skipPollingIfUnfocused: true },
  );
  const [level, setLevel] = useState<string | null>(null);
  const [page, setPage] = useState(1);
  const choose = (value: string | null) => {
    setLevel(value);
    setPage(1);
  };
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={320} />;
  const events = data.filter((event) => level === null || event.level === level);
  return (
    <Stack>
      <Group justify="flex-end">
        <Select
          size="xs"
          aria-label={t('level')}
          placeholder={t('anyLevel')}
          data={LEVELS.map((value) => ({ value, label: t(`levels.${value}`) }))}
          clearable
          clearButtonProps={{ 'aria-label': t('anyLevel') }}
          value={level}
          onChange={choose}
        />
      </Group>
      {events.length === 0 ? (
        <Nothing level={level} onAny={() => choose(null)} />
      ) : (
        <EventTable events={events.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE)} />
      )}
      <Pager page={page} pages={Math.ceil(events.length / ON_A_PAGE)} onPage={setPage} />
    </Stack>
  );
}

/** Empty because of the chosen level: then the way on is all levels. */
function Nothing({ level, onAny }: { level: string | null; onAny: () => void }) {
  const { t } = useTranslation('Events');
  if (level === null) return <Empty title={t('none')}>{t('noneHint')}</Empty>;
  return (
    <Empty
      title={t('List:nothing')}
      action={
        <Button variant="default" onClick={onAny}>
          {t('anyLevel')}
        </Button>
      }
    />
  );
}
