import { ActionIcon, Button, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Says "Copied" in place. With a label it is a button, else an icon. */
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
          <Tooltip label={copied ? t('copied') : t('copy')} opened={copied || undefined}>
            <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} aria-label={copied ? t('copied') : t('copy')} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}
