import { Group, Paper, SimpleGrid, Stack, Text, Typography } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { Price } from '@/components/Price';
import { useTaskNames } from '@/lib/useTaskNames';
import { formatDuration } from '@/lib/format/time';

const Markdown = lazy(() => import('react-markdown'));

export function AboutTab({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const names = useTaskNames();
  const { data } = coreApi.useCoreGetSimpleDocQuery({ account, model: model.modelName });
  const text = documentText(data);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <Stack gap="md">
        {model.shortDescription && <Text size="lg">{model.shortDescription}</Text>}
        {text && (
          <Typography>
            <Suspense fallback={null}>
              <Markdown>{text}</Markdown>
            </Suspense>
          </Typography>
        )}
        {!text && !model.shortDescription && <Text c="dimmed">{t('noDescription')}</Text>}
      </Stack>
      <Paper withBorder p="md" h="fit-content">
        <Stack gap="xs" component="dl" m={0}>
          <Fact name={t('fact.author')}>{model.displayAuthor ?? model.modelAccountDisplayName ?? account}</Fact>
          <Fact name={t('fact.task')}>{names(model.taskType)}</Fact>
          {model.languages.length > 0 && <Fact name={t('fact.languages')}>{model.languages.join(', ')}</Fact>}
          <Fact name={t('fact.price')}>
            <Price model={model} />
          </Fact>
          {model.startTimeSec !== null && <Fact name={t('fact.start')}>{formatDuration(model.startTimeSec)}</Fact>}
          <Fact name={t('fact.timeout')}>{formatDuration(model.timeouts.predictTimeoutSec ?? 0)}</Fact>
        </Stack>
      </Paper>
    </SimpleGrid>
  );
}

/** The service's own page is a text, or an object that contains it. */
export function documentText(data: unknown): string {
  if (typeof data === 'string') return data;
  const held = (data as { content?: unknown; text?: unknown } | null) ?? {};
  const text = held.content ?? held.text;
  return typeof text === 'string' ? text : '';
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap" align="baseline">
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} ta="right">
        {children}
      </Text>
    </Group>
  );
}
