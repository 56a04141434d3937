import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';
import { Copy } from '@/components/code/Copy';

import { FirstUse } from './FirstUse';
import classes from './keyParts.module.css';
import { dotenv } from './useKeys';

interface Props {
  account: string;
  /** With its secret, which nobody shows again. */
  created: AccessTokenData;
  /** It was copied or downloaded. */
  onKept: () => void;
  onDone: () => void;
}

export function NewKey({ account, created, onKept, onDone }: Props) {
  const { t } = useTranslation('Keys');
  const { token, name } = created;
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(dotenv(token, window.location.origin))}`;
  return (
    <Stack gap="md" pt={4} onCopy={() => isSelected(token) && onKept()}>
      <Alert ref={focus} tabIndex={-1} color="yellow" title={t('once')}>
        {t('onceHint', { name })}
      </Alert>
      <pre aria-label={t('key')} className={classes.secret}>
        {token}
      </pre>
      <Group>
        <Copy value={token} label={t('copyKey')} onCopied={onKept} />
        <Button
          component="a"
          href={file}
          download=".env"
          onClick={onKept}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('download')}
        </Button>
      </Group>
      <FirstUse account={account} token={token} rights={created} onCopied={onKept} />
      <Button onClick={onDone}>{t('done')}</Button>
    </Stack>
  );
}

/** The form's button, which had it, is gone. */
const focus = (alert: HTMLElement | null) => alert?.focus();

const isSelected = (token: string) => document.getSelection()?.toString().includes(token) ?? false;
