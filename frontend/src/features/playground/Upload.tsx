import { Button, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { faultOf, type FileFault } from './files';
import classes from './Upload.module.css';

interface Props {
  /** Prefix of the accepted media type. */
  kind?: string;
  onFile: (file: File) => void;
  label: string;
  children?: ReactNode;
}

/** One file, chosen or dropped. */
export function Upload({ kind, onFile, label, children }: Props) {
  const { t } = useTranslation('Playground');
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<FileFault | null>(null);
  const take = (files: readonly File[]) => {
    const found = faultOf(files, kind);
    setFault(found);
    if (!found && files[0]) onFile(files[0]);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  const allow = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <Stack
      className={classes.area ?? ''}
      data-over={over || undefined}
      align="center"
      gap="xs"
      p="md"
      onDragOver={allow}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
      <Button
        variant="default"
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={kind && `${kind}*`}
        aria-label={label}
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <Text size="sm" c="dimmed">
        {t('drop')}
      </Text>
      {fault && (
        <Text size="sm" c="red" role="alert">
          {t(fault)}
        </Text>
      )}
    </Stack>
  );
}
