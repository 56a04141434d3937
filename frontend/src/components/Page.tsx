import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

import { useBrand } from '@/lib/brand';

import { Breadcrumbs, type Crumb } from './Breadcrumbs';

interface Props {
  title: string;
  subtitle?: ReactNode;
  action?: ReactNode;
  /** Keeps the action beside the title on phones, too: one that comes late has its place there. */
  beside?: boolean;
  /** The pages above this one. */
  crumbs?: readonly Crumb[] | undefined;
  /** The name of the open tab, for the way to the page and for the browser's tab. */
  tab?: string | undefined;
  /** The name of the object in the browser's tab, if it is not the title. */
  name?: string | undefined;
  children: ReactNode;
}

/** Names the page in the browser's tab: from the part to the whole, the brand last. */
export function usePageTitle(...parts: readonly (string | undefined)[]): void {
  useDocumentTitle([...parts, useBrand().title].filter(Boolean).join(' · '));
}

/** One screen: the way to it, a title, its one primary action, and the content. */
export function Page({ title, subtitle, action, beside = false, crumbs, tab, name, children }: Props) {
  usePageTitle(tab, name ?? title);
  return (
    <Stack gap="lg" px={{ base: 16, sm: 24 }} py={24} maw="var(--mlp-page)" mx="auto" w="100%">
      <Stack gap={4}>
        {crumbs && <Breadcrumbs crumbs={crumbs} current={tab ?? title} />}
        <Group justify="space-between" align="flex-start" gap="md" wrap={beside ? 'nowrap' : 'wrap'}>
          <Box>
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {subtitle && (
              <Text c="dimmed" component="div">
                {subtitle}
              </Text>
            )}
          </Box>
          {action}
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}
