import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { typedFolder } from './paths';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** Takes the path below the open folder, with a `/` at its end. */
  onPath: (path: string) => void;
}

/** Opens a folder that is not there yet: its first file makes it exist. */
export function NewFolder({ opened, onClose, onPath }: Props) {
  const { t } = useTranslation('Bucket');
  return (
    <Modal opened={opened} onClose={onClose} title={t('newFolder')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Path onPath={onPath} />
    </Modal>
  );
}

function Path({ onPath }: Pick<Props, 'onPath'>) {
  const { t } = useTranslation('Bucket');
  const [typed, setTyped] = useState('');
  const path = typedFolder(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path) onPath(path);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('name')}
          description={t('newFolderHint')}
          data-autofocus
          maxLength={256}
          error={path === null && t('folderImpossible')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" disabled={!path}>
          {t('openFolder')}
        </Button>
      </Stack>
    </form>
  );
}
