import { Paper, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useTaskNames } from '@/lib/useTaskNames';

import type { Draft } from './draft';

/** The choices so far; at the last step, everything that will be created. */
export function Summary({ draft, wide = false }: { draft: Draft; wide?: boolean }) {
  const { t } = useTranslation('Create');
  const names = useTaskNames();
  const place =
    draft.hosting === 'EXTERNAL'
      ? t('external')
      : draft.resourceGroup
        ? `${t('platform')}: ${draft.resourceGroup}`
        : t('platform');
  const facts: [string, string][] = [
    [t('image'), draft.existing?.address ?? draft.address.trim()],
    [t('name'), draft.name],
    [t('displayName'), draft.displayName.trim()],
    [t('taskType'), names(draft.taskType)],
    [t('languages'), draft.languages.join(', ')],
    [t('hosting'), place],
    ...(draft.hosting === 'INTERNAL' ? [[t('instances'), String(draft.instances)] satisfies [string, string]] : []),
  ];
  return (
    <Paper withBorder p="md" maw={wide ? 560 : undefined}>
      <Stack gap="sm">
        {!wide && <Title order={3}>{t('summary')}</Title>}
        <Stack gap={6} component="dl" m={0}>
          {facts
            .filter(([, value]) => value !== '')
            .map(([fact, value]) => (
              <div key={fact}>
                <Text component="dt" size="sm" c="dimmed">
                  {fact}
                </Text>
                <Text component="dd" m={0} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {value}
                </Text>
              </div>
            ))}
        </Stack>
        {wide && (
          <Text size="sm" c="dimmed">
            {t(draft.hosting === 'EXTERNAL' ? 'thenConnect' : 'thenStarts')}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
