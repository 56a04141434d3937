import { Skeleton, Stack } from '@mantine/core';

/** Placeholder of a page: a title with content below it. */
export function PageToCome() {
  return (
    <Stack gap="lg" px={{ base: 16, sm: 24 }} py={24} maw="var(--mlp-page)" mx="auto" w="100%" aria-busy="true">
      <Skeleton h={36} w={240} />
      <Skeleton h={320} />
    </Stack>
  );
}
