import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './Copy.module.css';

interface Props {
  value: string;
  label?: string;
  /** The value is in the clipboard, which a browser may refuse. */
  onCopied?: (() => void) | undefined;
}

/** Shows "Copied" in place. With a label it is a button, else an icon. */
export function Copy({ value, label, onCopied }: Props) {
  const { t } = useTranslation('App');
  const { copied, copy } = useClipboard({ timeout: 1500 });
  useEffect(() => {
    if (copied) onCopied?.();
  }, [copied, onCopied]);
  const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  if (label) {
    return (
      <Button size="xs" variant="default" leftSection={icon} onClick={() => copy(value)}>
        {copied ? t('copied') : label}
      </Button>
    );
  }
  return (
    <span className={classes.place}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'green' : 'gray'}
        aria-label={copied ? t('copied') : t('copy')}
        title={t('copy')}
        onClick={() => copy(value)}
      >
        {icon}
      </ActionIcon>
      {copied && (
        <span className={classes.said} aria-hidden>
          {t('copied')}
        </span>
      )}
    </span>
  );
}
