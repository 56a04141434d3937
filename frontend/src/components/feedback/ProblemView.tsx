import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/api';

import { Copy } from '@/components/code/Copy';

/** Shows the error, what to do, and the request id for support. */
export function ProblemView({ problem, again }: { problem: Problem; again?: () => void }) {
  const { t, i18n } = useTranslation('Error');
  const known = `code.${problem.code}`;
  const title = i18n.exists(`Error:${known}`) ? t(known) : t(problem.status ? 'refused' : 'noAnswer');
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {problem.message && <Text size="md">{problem.message}</Text>}
        {problem.requestId && (
          <Group gap={4}>
            <Text size="sm" c="dimmed">
              {t('requestId')}
            </Text>
            <Code>{problem.requestId}</Code>
            <Copy value={problem.requestId} />
          </Group>
        )}
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            {t('again')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
