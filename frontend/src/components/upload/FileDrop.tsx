import { Box } from '@mantine/core';
import { type DragEvent, type ReactNode, useState } from 'react';

import classes from './FileDrop.module.css';

interface Props {
  /** Null while no file is taken. */
  onFiles: ((files: readonly File[]) => void) | null;
  children: ReactNode;
}

const FILES = 'Files';

/** Takes files that are dropped anywhere on its content. */
export function FileDrop({ onFiles, children }: Props) {
  const [over, setOver] = useState(false);
  const allow = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes(FILES)) return;
    // Else the browser would open the file, also while none is taken.
    event.preventDefault();
    setOver(onFiles !== null);
  };
  // Going over to something inside is no leaving.
  const leave = ({ currentTarget, relatedTarget }: DragEvent) =>
    setOver(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer.files.length > 0) onFiles?.([...event.dataTransfer.files]);
  };
  return (
    <Box
      className={classes.place ?? ''}
      data-over={over || undefined}
      data-testid="file-drop"
      onDragOver={allow}
      onDragLeave={leave}
      onDrop={drop}
    >
      {children}
    </Box>
  );
}
