import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Upload } from './useUpload';

/** How much of a file was sent, and a way to stop. */
export function UploadProgress({ upload }: { upload: Upload }) {
  const { t } = useTranslation('Datasets');
  if (upload.progress === null) return null;
  const percent = Math.round(upload.progress * 100);
  return (
    <Stack gap={4}>
      <Progress value={percent} aria-label={t('uploading')} animated={percent === 100} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed" component="output">
          {percent === 100 ? t('checking') : t('sent', { percent })}
        </Text>
        <Button size="xs" variant="default" onClick={upload.cancel}>
          {t('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}
