import { Group, Progress, Stack, Text } from '@mantine/core';

import { useTranslation } from 'react-i18next';

import type { Scored } from '@/features/playground/shapes';
import { formatShare } from '@/lib/format/number';

const percent = (score: number) => Math.max(0, Math.min(100, score * 100));

/** The most likely classes first, each with a bar; the number has the same value as the bar. */
export function ScoreBars({ title, rows }: { title?: string; rows: readonly Scored[] }) {
  const { i18n } = useTranslation();
  return (
    <Stack gap="xs">
      {title && (
        <Text size="sm" c="dimmed">
          {title}
        </Text>
      )}
      {rows.map(({ label, score }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- labels may repeat, and the list is replaced as a whole
        <Stack key={index} gap={4}>
          <Group justify="space-between" wrap="nowrap" align="baseline">
            <Text style={{ overflowWrap: 'anywhere' }}>{label}</Text>
            {score !== null && (
              <Text size="sm" ff="monospace">
                {formatShare(percent(score) / 100, i18n.language)}
              </Text>
            )}
          </Group>
          {score !== null && <Progress value={percent(score)} size="sm" aria-hidden />}
        </Stack>
      ))}
    </Stack>
  );
}
