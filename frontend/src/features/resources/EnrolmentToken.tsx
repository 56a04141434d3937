import { Alert, Button, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { CodeBlock } from '@/components/code/CodeBlock';

import { AGENT_COMMAND, agentConfig } from './configuration';

/** With what the agent of a new server joins; the token is shown once. */
export function EnrolmentToken({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation('Resources');
  return (
    <Stack>
      <Alert color="yellow" title={t('tokenOnce')}>
        {t('tokenHint')}
      </Alert>
      <Text size="sm">agent.json</Text>
      <CodeBlock code={agentConfig(window.location.origin, token)} label="agent.json" />
      <CodeBlock code={AGENT_COMMAND} label={t('agentCommand')} />
      <Button onClick={onDone}>{t('done')}</Button>
    </Stack>
  );
}
