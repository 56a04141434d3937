import { Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Copy } from '@/components/code/Copy';
import type { Answered } from '@/lib/predict/predict';

/** The times of a call, and its request id for support. */
export function CallFacts({ answer, children }: { answer: Answered; children?: ReactNode }) {
  const { t } = useTranslation('Playground');
  return (
    <Group gap="lg">
      <Text size="sm" c="dimmed">
        {t('total', { ms: answer.totalMs })}
      </Text>
      {answer.serviceMs !== null && (
        <Text size="sm" c="dimmed">
          {t('serviceTime', { ms: answer.serviceMs })}
        </Text>
      )}
      {children}
      {answer.requestId && (
        <Group gap={4}>
          <Text size="sm" c="dimmed">
            {t('Error:requestId')}
          </Text>
          <Code>{answer.requestId}</Code>
          <Copy value={answer.requestId} />
        </Group>
      )}
    </Group>
  );
}
