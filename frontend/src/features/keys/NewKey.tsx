import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { CodeBlock } from '@/components/code/CodeBlock';
import { Copy } from '@/components/code/Copy';
import { LANGUAGE_NAMES, snippet } from '@/lib/predict/snippets';

import { dotenv } from './useKeys';

interface Props {
  token: string;
  /** The key is for pages of some sites, so a script is what its owner needs first. */
  forPages: boolean;
  onDone: () => void;
}

export function NewKey({ token, forPages, onDone }: Props) {
  const { t } = useTranslation('Keys');
  const { origin } = window.location;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(dotenv(token, origin))}`;
  const call = { origin, account: 'acme', model: 'greeting', key: token, data: { name: 'Ada' } };
  const languages = forPages ? (['javascript', 'curl'] as const) : (['curl'] as const);
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
      {languages.map((language) => (
        <CodeBlock key={language} code={snippet(language, call)} label={LANGUAGE_NAMES[language]} />
      ))}
      <Button onClick={onDone}>{t('done')}</Button>
    </Stack>
  );
}
