import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';

import type { NamedFile } from './droppedFiles';

/** Chooses files. */
export function UploadButton({
  onFiles,
  variant = 'filled',
  label,
}: {
  onFiles: (files: readonly NamedFile[]) => void;
  variant?: 'filled' | 'light';
  label: string;
}) {
  const { t } = useTranslation('Bucket');
  const reset = useRef<() => void>(null);
  const take = (files: File[]) => {
    onFiles(files.map((file) => ({ path: file.name, file })));
    // Else the same files could not be chosen again.
    reset.current?.();
  };
  return (
    <FileButton multiple onChange={take} resetRef={reset} inputProps={{ 'aria-label': t('chooseFiles') }}>
      {(props) => (
        <Button variant={variant} leftSection={<IconUpload size={16} aria-hidden />} {...props}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}
