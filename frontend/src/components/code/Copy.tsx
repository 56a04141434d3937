import { ActionIcon, Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import classes from './Copy.module.css';

/** Shows "Copied" in place. With a label it is a button, else an icon. */
export function Copy({ value, label }: { value: string; label?: string }) {
  const { t } = useTranslation('App');
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
        if (label) {
          return (
            <Button size="xs" variant="default" leftSection={icon} onClick={copy}>
              {copied ? t('copied') : label}
            </Button>
          );
        }
        return (
          <span className={classes.place}>
            <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} aria-label={copied ? t('copied') : t('copy')} title={t('copy')} onClick={copy}>
              {icon}
            </ActionIcon>
            {copied && (
              <span className={classes.said} aria-hidden>
                {t('copied')}
              </span>
            )}
          </span>
        );
      }}
    </CopyButton>
  );
}
