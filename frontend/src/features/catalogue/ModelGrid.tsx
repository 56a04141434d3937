import { Card, SimpleGrid, Skeleton, Stack } from '@mantine/core';

import { memo, type ReactNode, useDeferredValue } from 'react';

import { asProblem, type Problem } from '@/api/first';
import type { ModelInfoData, PagedModelInfoData } from '@/api/first/generated/core.gen';
import { Empty } from '@/components/Empty';
import { LaterProblemView } from '@/components/feedback/LaterProblems';
import { Pager } from '@/components/Pager';
import { useTaskNames } from '@/lib/useTaskNames';

import { ModelCard } from './ModelCard';

const atMost = (columns: number) => ({ base: 1, sm: Math.min(2, columns), lg: columns });
const CARD_HEIGHT = 208;
const DETAILED_HEIGHT = 262;

/** What a card shows instead of what everybody sees of the calls. */
type Details = ((model: ModelInfoData) => ReactNode) | undefined;

export interface Listing {
  data?: PagedModelInfoData | undefined;
  error?: Parameters<typeof asProblem>[0];
  isFetching: boolean;
  /** What was asked for last; undefined until it is there. */
  currentData?: PagedModelInfoData | undefined;
  refetch: () => unknown;
}

interface Props {
  listing: Listing;
  page: number;
  onPage: (page: number) => void;
  empty: { title: string; hint: ReactNode; action?: ReactNode };
  own?: boolean;
  details?: Details;
}

/** Cards of a page of models, or a placeholder for loading, errors and empty lists. */
export function ModelGrid({ listing, page, onPage, empty, own = false, details }: Props) {
  const problem: Problem | null = asProblem(listing.error);
  // Cards are rendered in pieces, between which the page answers to keys and scrolling.
  const data = useDeferredValue(listing.data);
  const toCome = <CardsToCome count={6} height={details ? DETAILED_HEIGHT : CARD_HEIGHT} />;
  if (problem && !listing.data)
    return <LaterProblemView meanwhile={toCome} problem={problem} again={() => void listing.refetch()} />;
  if (!data) return toCome;
  const { records, paging } = data;
  if (records.length === 0 && page > 1 && paging.totalPages > 0)
    return <Pager page={paging.totalPages + 1} pages={paging.totalPages} onPage={onPage} />;
  if (records.length === 0)
    return (
      <Empty title={empty.title} action={empty.action}>
        {empty.hint}
      </Empty>
    );
  // What is asked again while something starts does not fade each time.
  const turning = listing.isFetching && listing.currentData === undefined;
  return (
    <Stack gap="lg" aria-busy={turning} style={{ opacity: turning ? 0.7 : 1, transition: 'opacity 140ms' }}>
      <Cards models={records} own={own} details={details} />
      <Pager page={page} pages={paging.totalPages} onPage={onPage} />
    </Stack>
  );
}

/** `own`: cards lead to the owner's page. */
export const Cards = memo(function Cards({
  models,
  own = false,
  columns = 3,
  details,
}: {
  models: readonly ModelInfoData[];
  own?: boolean;
  columns?: number;
  details?: Details;
}) {
  const names = useTaskNames();
  return (
    <SimpleGrid cols={atMost(columns)} spacing="md">
      {models.map((model) => (
        <ModelCard
          key={`${model.id.accountId}/${model.id.modelId}`}
          model={model}
          taskName={names(model.taskType)}
          details={details?.(model)}
          {...(own ? { to: `/workspace/model/${model.id.accountId}/${model.id.modelId}` } : {})}
        />
      ))}
    </SimpleGrid>
  );
});

/** Has the size of the cards, so that the layout does not shift. */
export function CardsToCome({
  count,
  columns = 3,
  height = CARD_HEIGHT,
}: {
  count: number;
  columns?: number;
  height?: number;
}) {
  return (
    <SimpleGrid cols={atMost(columns)} spacing="md" aria-busy="true">
      {Array.from({ length: count }, (_, number) => (
        <Card key={number} padding="md" h={height}>
          <Stack gap="xs">
            <Skeleton h={20} w="60%" />
            <Skeleton h={12} w="40%" />
            <Skeleton h={42} />
            <Skeleton h={20} w="50%" />
            <Skeleton h={20} />
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  );
}
