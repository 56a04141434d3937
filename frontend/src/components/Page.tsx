import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

import { useBrand } from '@/lib/brand';

/** One screen: a title, its one primary action, and the content. */
export function Page({ title, subtitle, action, children }: { title: string; subtitle?: ReactNode; action?: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${title} · ${useBrand().title}`);
  return (
    <Stack gap="lg" px={{ base: 16, sm: 24 }} py={24} maw="var(--mlp-page)" mx="auto" w="100%">
      <Group justify="space-between" align="flex-start" gap="md">
        <Box>
          <Title order={1}>{title}</Title>
          {subtitle && (
            <Text c="dimmed" component="div">
              {subtitle}
            </Text>
          )}
        </Box>
        {action}
      </Group>
      {children}
    </Stack>
  );
}
