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
  /** It was copied or downloaded. */
  onKept: () => void;
  onDone: () => void;
}

export function NewKey({ token, forPages, onKept, onDone }: Props) {
  const { t } = useTranslation('Keys');
  const { origin } = window.location;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(dotenv(token, origin))}`;
  const call = { origin, account: 'acme', model: 'greeting', key: token, data: { name: 'Ada' } };
  const languages = forPages ? (['javascript', 'curl'] as const) : (['curl'] as const);
  return (
    <Stack gap="md" onCopy={() => isSelected(token) && onKept()}>
      <Alert ref={focus} tabIndex={-1} color="yellow" title={t('once')}>
        {t('onceHint')}
      </Alert>
      <CodeBlock code={token} label={t('key')} onCopied={onKept} />
      <Group>
        <Copy value={token} label={t('copyKey')} onCopied={onKept} />
        <Button component="a" href={file} download=".env" onClick={onKept} size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          {t('download')}
        </Button>
      </Group>
      {languages.map((language) => (
        <CodeBlock key={language} code={snippet(language, call)} label={LANGUAGE_NAMES[language]} onCopied={onKept} />
      ))}
      <Button onClick={onDone}>{t('done')}</Button>
    </Stack>
  );
}

/** The form's button, which had it, is gone. */
const focus = (alert: HTMLElement | null) => alert?.focus();

const isSelected = (token: string) => document.getSelection()?.toString().includes(token) ?? false;
