import { Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';

import { asProblem } from '@/api';
import type { StatLogData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Pager } from '@/components/Pager';

import { EventTable } from './EventTable';

const ON_A_PAGE = 50;

interface Props {
  /** The result of a query, as its hook returns it. */
  query: {
    data?: readonly StatLogData[] | undefined;
    error?: Parameters<typeof asProblem>[0];
    refetch: () => unknown;
  };
  empty: { title: string; hint: string };
}

/** What happened to one object, newest first, in pages. */
export function EventHistory({ query: { data, error, refetch }, empty }: Props) {
  const [page, setPage] = useState(1);
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  if (data.length === 0) return <Empty title={empty.title}>{empty.hint}</Empty>;
  return (
    <Stack>
      <EventTable events={data.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE)} />
      <Pager page={page} pages={Math.ceil(data.length / ON_A_PAGE)} onPage={setPage} />
    </Stack>
  );
}
