import { ActionIcon, Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { UploadRefusal } from '@/components/upload/UploadRefusal';
import { formatBytes } from '@/lib/format/bytes';

import classes from './bucket.module.css';
import type { Upload, UploadQueue } from './uploadQueue';
import type { Uploads } from './useUploads';

/** Those after them only wait. */
const SHOWN = 20;

/** The uploads that have not ended well yet, each with its progress and what can be done; how many have. Names are those below the open folder. */
export function UploadList({ uploads: { all, queue }, folder }: { uploads: Uploads; folder: string }) {
  const { t } = useTranslation('Bucket');
  if (all.length === 0) return null;
  const open = all.filter(({ state }) => state !== 'stored');
  const failed = open.filter(({ state }) => state === 'failed').length;
  const going = open.length > failed;
  const stored = all.length - open.length;
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('uploads')}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={500} component="output">
          {open.length === 0 ? t('uploaded', { count: stored }) : t('uploadedOf', { stored, count: all.length })}
        </Text>
        <Group gap={4} wrap="nowrap">
          {failed > 1 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => open.filter(({ state }) => state === 'failed').forEach(({ id }) => queue.retry(id))}
            >
              {t('retryAll')}
            </Button>
          )}
          {going ? (
            <Button size="compact-sm" variant="default" onClick={() => queue.cancelAll()}>
              {t('cancelAll')}
            </Button>
          ) : (
            <ActionIcon variant="subtle" color="gray" aria-label={t('hideUploads')} onClick={() => queue.cancelAll()}>
              <IconX size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {open.length > 0 && (
        <ul className={classes.uploads}>
          {open.slice(0, SHOWN).map((upload) => (
            <Row key={upload.id} upload={upload} queue={queue} folder={folder} />
          ))}
        </ul>
      )}
      {open.length > SHOWN && (
        <Text size="sm" c="dimmed" mt={8}>
          {t('moreUploads', { count: open.length - SHOWN })}
        </Text>
      )}
    </Paper>
  );
}

function Row({ upload, queue, folder }: { upload: Upload; queue: UploadQueue; folder: string }) {
  const { t, i18n } = useTranslation('Bucket');
  const { id, key, file, state, percent, problem } = upload;
  const stage = state === 'waiting' ? t('waits') : percent === 100 ? t('storing') : t('sent', { percent });
  return (
    <Stack component="li" gap={4}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" className={classes.file ?? ''} title={key}>
          {key.startsWith(folder) ? key.slice(folder.length) : key}
        </Text>
        <Group gap={4} wrap="nowrap">
          {state !== 'failed' && (
            <Text size="xs" c="dimmed" className={classes.stage ?? ''}>
              {formatBytes(file.size, i18n.language)} · {stage}
            </Text>
          )}
          {state === 'failed' && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('retryOf', { name: key })}
              onClick={() => queue.retry(id)}
            >
              {t('retry')}
            </Button>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t(state === 'failed' ? 'dropOf' : 'cancelOf', { name: key })}
            onClick={() => queue.cancel(id)}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      {state === 'sending' && (
        <Progress value={percent} size="sm" aria-label={t('progressOf', { name: key })} animated={percent === 100} />
      )}
      {problem && (
        <Alert color="red" role="alert" p="xs">
          <UploadRefusal problem={problem} file={file} />
        </Alert>
      )}
    </Stack>
  );
}
