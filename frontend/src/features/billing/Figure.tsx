import { Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  name: string;
  /** Null while it loads. */
  value: string | null;
  children?: ReactNode;
}

/** One amount of an account, large, and what is said of it. */
export function Figure({ name, value, children }: Props) {
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Text c="dimmed">{name}</Text>
      {value === null ? (
        <Skeleton h={42} w={160} />
      ) : (
        <Text size="28px" lh="42px" fw={600} ff="monospace">
          {value}
        </Text>
      )}
      {children}
    </Paper>
  );
}
