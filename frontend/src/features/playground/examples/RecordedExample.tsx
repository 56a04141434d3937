import { Button, Code, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Example } from '@/lib/predict/useExamples';

const Output = lazy(async () => ({ default: (await import('@/features/playground/output/Output')).Output }));

/** Examples whose answers the author recorded: they are shown without a call. */
export function RecordedExample({ examples }: { examples: readonly Example[] }) {
  const { t } = useTranslation('Examples');
  const [chosen, setChosen] = useState(0);
  const recorded = examples.filter(({ answer }) => answer !== undefined);
  const example = recorded[chosen] ?? recorded[0];
  if (!example) return null;
  const head = (choice: ReactNode) => (
    <Group justify="space-between">
      <Title order={2}>{t('recordedAnswer')}</Title>
      {choice}
    </Group>
  );
  return (
    <Stack gap="sm" data-testid="recorded">
      {recorded.length > 1 && (
        <Group gap={6}>
          {recorded.map(({ saved }, index) => (
            <Button
              key={saved?.id.exampleId}
              size="compact-xs"
              variant={index === chosen ? 'light' : 'default'}
              fw={400}
              aria-pressed={index === chosen}
              onClick={() => setChosen(index)}
            >
              {saved?.name}
            </Button>
          ))}
        </Group>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="xs" miw={0}>
          <Title order={2}>{t('recordedRequest')}</Title>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 320, overflowY: 'auto' }}>
            {JSON.stringify(example.request, null, 2)}
          </Code>
        </Stack>
        <Paper withBorder p="md" miw={0}>
          <Suspense fallback={<Skeleton h={160} />}>
            <Output
              key={example.saved?.id.exampleId}
              call={{ request: example.request, config: undefined, answer: example.answer }}
              head={head}
            />
          </Suspense>
          <Text size="xs" c="dimmed" mt="sm">
            {t('recordedHint')}
          </Text>
        </Paper>
      </SimpleGrid>
    </Stack>
  );
}
