import { Anchor, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { InlineCode } from '@/components/code/InlineCode';
import { Price } from '@/components/Price';
import { Duration } from '@/components/format/Duration';
import { formatNumber } from '@/lib/format/number';
import { useTaskNames } from '@/lib/useTaskNames';

import { PriceCalculator } from './PriceCalculator';

const Description = lazy(() => import('@/components/Description'));

export function AboutTab({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const { data, error } = coreApi.useCoreGetSimpleDocQuery({ account, model: model.modelName });
  const text = documentText(data);
  // On phones the facts stand below the text: it is there before them.
  const toCome = <Skeleton h={420} />;
  if (data === undefined && !error) return toCome;
  return (
    <Suspense fallback={toCome}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack gap="md">
          {model.shortDescription && (
            <Text size="lg">
              <InlineCode text={model.shortDescription} />
            </Text>
          )}
          {text && <Description text={text} />}
          {!text && !model.shortDescription && <Text c="dimmed">{t('noDescription')}</Text>}
        </Stack>
        <Stack gap="md">
          <Facts model={model} account={account} />
          <PriceCalculator model={model} />
        </Stack>
      </SimpleGrid>
    </Suspense>
  );
}

function Facts({ model, account }: { model: ModelInfoData; account: string }) {
  const { t } = useTranslation('Service');
  const names = useTaskNames();
  const { predictTimeoutSec, podStartTimeoutSec } = model.timeouts;
  const { enabled, concurrencyLevel } = model.priorityQueue;
  return (
    <Paper withBorder p="md" h="fit-content">
      <Stack gap="xs" component="dl" m={0}>
        <Fact name={t('fact.author')}>{model.displayAuthor ?? model.modelAccountDisplayName ?? account}</Fact>
        <Fact name={t('fact.task')}>{names(model.taskType)}</Fact>
        {model.languages.length > 0 && <Fact name={t('fact.languages')}>{model.languages.join(', ')}</Fact>}
        <Fact name={t('fact.price')}>
          <Price model={model} />
        </Fact>
        {model.startTimeSec !== null && (
          <Fact name={t('fact.start')}>
            <Duration seconds={model.startTimeSec} />
          </Fact>
        )}
        <Fact name={t('fact.timeout')}>
          <Duration seconds={predictTimeoutSec ?? 0} />
        </Fact>
        {model.hostingType !== 'EXTERNAL' && podStartTimeoutSec !== undefined && (
          <Fact name={t('fact.startTimeout')}>
            <Duration seconds={podStartTimeoutSec} />
          </Fact>
        )}
        {enabled && concurrencyLevel !== undefined && (
          <Fact name={t('fact.parallel')}>{formatNumber(concurrencyLevel)}</Fact>
        )}
        {model.image && <Fact name={t('fact.image')}>{model.image.image}</Fact>}
        {model.modelAuthorCompany && <Fact name={t('fact.company')}>{model.modelAuthorCompany}</Fact>}
        {model.modelLink && (
          <Fact name={t('fact.link')}>
            <Anchor
              href={model.modelLink}
              target="_blank"
              rel="nofollow noopener noreferrer"
              inherit
              style={{ overflowWrap: 'anywhere' }}
            >
              {model.modelLink}
            </Anchor>
          </Fact>
        )}
      </Stack>
    </Paper>
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
      <Text component="dd" size="sm" m={0} ta="right" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}
