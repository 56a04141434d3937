import { Button, Chip, Group, Skeleton, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import type { Draft } from '@/features/playground/useDraft';
import type { Example } from '@/lib/predict/useExamples';

const JsonEditor = lazy(() => import('@/components/code/JsonEditor'));

interface Props {
  draft: Draft;
  examples: readonly Example[];
  /** Services that the user may call. */
  callable: readonly ModelInfoData[];
  running: boolean;
  charged: boolean;
  onRun: (request: unknown) => void;
}

/** The request that all services get. */
export function SharedExample({ draft, examples, callable, running, charged, onRun }: Props) {
  const { t } = useTranslation('Compare');
  const { value } = draft;
  const plain = value.ok && (draft.kind === 'text' || draft.kind === 'texts');
  return (
    <Stack gap="sm" component="section" aria-labelledby="shared-example">
      <Title order={2} id="shared-example">
        {t('example')}
      </Title>
      {examples.length > 1 && (
        <Group gap="xs" component="fieldset" aria-label={t('examples')} bd={0} p={0} m={0}>
          {examples.map(({ request, saved }, index) => (
            <Chip
              key={saved?.id.exampleId ?? index}
              size="xs"
              checked={draft.text === JSON.stringify(request, null, 2)}
              onChange={() => draft.setValue(request)}
            >
              {saved?.name ?? t('exampleOf', { number: index + 1 })}
            </Chip>
          ))}
        </Group>
      )}
      {plain ? (
        <Textarea
          label={t('input')}
          autosize
          minRows={2}
          maxRows={8}
          value={draft.lines}
          onChange={({ currentTarget }) => draft.setLines(currentTarget.value)}
        />
      ) : (
        <Suspense fallback={<Skeleton h={160} />}>
          <JsonEditor label={t('input')} value={draft.text} onChange={draft.setText} />
        </Suspense>
      )}
      <Group>
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={running}
          disabled={!value.ok || callable.length === 0}
          onClick={() => value.ok && onRun(value.value)}
        >
          {t('run', { count: callable.length })}
        </Button>
        <Text size="sm" c="dimmed">
          {t(callable.length === 0 ? 'nobody' : charged ? 'charged' : 'notCharged')}
        </Text>
      </Group>
    </Stack>
  );
}
