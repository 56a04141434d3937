import { Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { cosine } from '@/features/playground/shapes';
import { formatScore } from '@/lib/format/number';

/** Similarities of the texts, which show more than the numbers of a vector. */
export function SimilarityTable({ texts, vectors }: { texts: readonly string[]; vectors: readonly number[][] }) {
  const { t, i18n } = useTranslation('Playground');
  const size = vectors[0]?.length ?? 0;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('similarity', { size })}
      </Text>
      <Table.ScrollContainer minWidth={300}>
        <Table withTableBorder ff="monospace">
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              {texts.map((text, index) => (
                <Table.Th key={`${index}:${text}`} ta="right">
                  {text}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {vectors.map((row, index) => (
              <Table.Tr key={`${index}:${texts[index] ?? ''}`}>
                <Table.Th>{texts[index]}</Table.Th>
                {vectors.map((column, other) => {
                  const value = cosine(row, column);
                  return (
                    <Table.Td
                      key={`${other}:${texts[other] ?? ''}`}
                      ta="right"
                      style={{
                        background: `color-mix(in oklch, var(--mantine-color-accent-6) ${Math.max(0, value) * 30}%, transparent)`,
                      }}
                    >
                      {formatScore(value, i18n.language)}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
