import { Card, Pagination, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import type { PagedModelInfoData } from '@/api/generated/core.gen';
import type { Problem } from '@/api';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/ProblemView';

import { ModelCard } from './ModelCard';
import { useTaskNames } from '@/lib/useTaskNames';

interface Listing {
  data?: PagedModelInfoData | undefined;
  error?: Parameters<typeof asProblem>[0];
  isFetching: boolean;
  refetch: () => unknown;
}

/** Cards of a page of models, with everything that can stand in their place. */
export function ModelGrid({ listing, page, onPage, empty }: { listing: Listing; page: number; onPage: (page: number) => void; empty: { title: string; hint: string } }) {
  const { t } = useTranslation('Catalog');
  const names = useTaskNames();
  const problem: Problem | null = asProblem(listing.error);
  if (problem && !listing.data) return <ProblemView problem={problem} again={() => void listing.refetch()} />;
  if (!listing.data) return <Waiting />;
  const { records, paging } = listing.data;
  if (records.length === 0) return <Empty title={empty.title}>{empty.hint}</Empty>;
  return (
    <Stack gap="lg" aria-busy={listing.isFetching}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {records.map((model) => (
          <ModelCard key={`${model.id.accountId}/${model.id.modelId}`} model={model} taskName={names(model.taskType)} />
        ))}
      </SimpleGrid>
      {paging.totalPages > 1 && (
        <Pagination
          total={paging.totalPages}
          value={page}
          onChange={onPage}
          getControlProps={(control) => ({ 'aria-label': t(`page.${control}`) })}
          getItemProps={(number) => ({ 'aria-label': t('page.number', { number }) })}
        />
      )}
    </Stack>
  );
}

function Waiting() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" aria-busy="true">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <Card key={key} padding="md" h={196}>
          <Stack gap="xs">
            <Skeleton h={20} w="60%" />
            <Skeleton h={12} w="40%" />
            <Skeleton h={40} />
            <Skeleton h={20} w="50%" />
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  );
}
