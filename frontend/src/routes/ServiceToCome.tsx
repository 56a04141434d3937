import { Skeleton, Stack } from '@mantine/core';

import type { Crumb } from '@/components/Breadcrumbs';
import { Page } from '@/components/Page';

/** The outline of a service's page while it loads. */
export function ServiceToCome({ name, crumbs }: { name: string; crumbs: readonly Crumb[] }) {
  return (
    <Page title={name} crumbs={crumbs} subtitle={<Skeleton h={22} w="min(320px, 70vw)" />}>
      <Stack aria-busy="true">
        <Skeleton h={36} w={280} />
        <Skeleton h={420} />
      </Stack>
    </Page>
  );
}
