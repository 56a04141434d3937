import { Box } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { toastError } from '@/components/feedback/Toasts';

import classes from './bucket.module.css';
import { droppedFiles, type NamedFile } from './droppedFiles';

interface Props {
  /** Null if the reader may not upload. */
  onFiles: ((files: readonly NamedFile[]) => void) | null;
  children: ReactNode;
}

const FILES = 'Files';

/** Takes files and folders that are dropped anywhere on its content. */
export function DropZone({ onFiles, children }: Props) {
  const { t } = useTranslation('Bucket');
  const [over, setOver] = useState(false);
  if (!onFiles) return children;
  const allow = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes(FILES)) return;
    event.preventDefault();
    setOver(true);
  };
  // Going over to something inside is no leaving.
  const leave = ({ currentTarget, relatedTarget }: DragEvent) =>
    setOver(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    droppedFiles(event.dataTransfer).then(onFiles, () => toastError(t('upload'), t('unreadable')));
  };
  return (
    <Box
      className={classes.zone ?? ''}
      data-over={over || undefined}
      data-testid="drop-zone"
      onDragOver={allow}
      onDragLeave={leave}
      onDrop={drop}
    >
      {children}
      {over && <div className={classes.drop}>{t('drop')}</div>}
    </Box>
  );
}
