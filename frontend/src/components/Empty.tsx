import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** An empty list explains what it would contain, and offers one next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py={64} ta="center">
      <Title order={3}>{title}</Title>
      {typeof children === 'string' ? <Text c="dimmed" maw={480}>{children}</Text> : children}
    </Stack>
  );
}
