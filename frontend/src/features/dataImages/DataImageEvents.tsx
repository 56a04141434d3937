import { Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { Empty } from '@/components/Empty';
import { EventTable } from '@/components/events/EventTable';
import { Pager } from '@/components/Pager';
import { ProblemView } from '@/components/feedback/ProblemView';

const ON_A_PAGE = 50;

/** What happened to a data image, newest first. */
export function DataImageEvents({ account, imageId }: { account: string; imageId: number }) {
  const { t } = useTranslation('DataImages');
  const { data, error, refetch } = coreApi.useCoreGetDataImageLogsQuery({ account, imageId });
  const [page, setPage] = useState(1);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  if (data.length === 0) return <Empty title={t('noEvents')}>{t('noEventsHint')}</Empty>;
  return (
    <Stack>
      <EventTable events={data.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE)} />
      <Pager page={page} pages={Math.ceil(data.length / ON_A_PAGE)} onPage={setPage} />
    </Stack>
  );
}
