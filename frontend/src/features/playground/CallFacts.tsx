import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Copy } from '@/components/code/Copy';
import type { Answered } from '@/lib/predict/predict';

import { TimeSplit } from './TimeSplit';
import { useCost } from './useCost';

/** The times and the cost of a call, and its request id for support. */
export function CallFacts({ answer, children }: { answer: Answered; children?: ReactNode }) {
  const { t } = useTranslation('Playground');
  const cost = useCost();
  const { units } = answer;
  return (
    <Stack gap="xs">
      <TimeSplit answer={answer} />
      <Group gap="lg">
        {answer.cost !== null && (
          <Text size="sm" c="dimmed" data-testid="cost">
            {cost(answer.cost)}
            {units !== null && ` · ${t('units', { count: units })}`}
          </Text>
        )}
        {children}
        {answer.requestId && (
          <Group gap={4}>
            <Text size="sm" c="dimmed">
              {t('Error:requestId')}
            </Text>
            <Code style={{ overflowWrap: 'anywhere' }}>{answer.requestId}</Code>
            <Copy value={answer.requestId} />
          </Group>
        )}
      </Group>
    </Stack>
  );
}
