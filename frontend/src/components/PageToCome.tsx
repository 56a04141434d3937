import { Skeleton, Stack } from '@mantine/core';

/** Where a page will be: a title, and what is under it. */
export function PageToCome() {
  return (
    <Stack gap="lg" px={{ base: 16, sm: 24 }} py={24} maw="var(--mlp-page)" mx="auto" w="100%" aria-busy="true">
      <Skeleton h={36} w={240} />
      <Skeleton h={320} />
    </Stack>
  );
}
