import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { CodeBlock } from '@/components/code/CodeBlock';
import { Copy } from '@/components/code/Copy';
import { snippet } from '@/lib/predict/snippets';

import { dotenv } from './useKeys';

export function NewKey({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation('Keys');
  const { origin } = window.location;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(dotenv(token, origin))}`;
  const call = snippet('curl', { origin, account: 'acme', model: 'greeting', key: token, data: { name: 'Ada' } });
  return (
    <Stack gap="md">
      <Alert color="yellow" title={t('once')}>
        {t('onceHint')}
      </Alert>
      <CodeBlock code={token} label={t('key')} />
      <Group>
        <Copy value={token} label={t('copyKey')} />
        <Button component="a" href={file} download=".env" size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          {t('download')}
        </Button>
      </Group>
      <CodeBlock code={call} label="curl" />
      <Button onClick={onDone}>{t('done')}</Button>
    </Stack>
  );
}
