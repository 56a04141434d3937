import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import type { PageStatLogData, StatLogData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { Pager } from '@/components/Pager';

export const ON_A_PAGE = 50;

interface Props {
  query: { data?: PageStatLogData | undefined; error?: Parameters<typeof asProblem>[0]; refetch: () => unknown };
  onPage: (page: number) => void;
  children: (entries: readonly StatLogData[]) => ReactNode;
}

/** One page of a log in each of its states. `onPage` gets pages that count from 0. */
export function PagedLog({ query: { data, error, refetch }, onPage, children }: Props) {
  const { t } = useTranslation('Monitoring');
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <Skeleton h={320} />;
  if (data.totalElements === 0) return <Empty title={t('noEntries')}>{t('noEntriesHint')}</Empty>;
  return (
    <Stack>
      {children(data.content)}
      <Pager page={data.number + 1} pages={data.totalPages} onPage={(page) => onPage(page - 1)} />
    </Stack>
  );
}
