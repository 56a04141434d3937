import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  opened: boolean;
  title: string;
  /** Label of the confirming button. */
  action: string;
  /** Text that must be typed first; only where data is lost permanently. */
  typed?: string;
  children: ReactNode;
  onClose: () => void;
  onConfirm: () => unknown;
}

/** Asks for confirmation before something is ended or deleted. */
export function Confirm({ opened, onClose, title, ...others }: Props) {
  const { t } = useTranslation('App');
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Question onClose={onClose} {...others} />
    </Modal>
  );
}

function Question({ action, typed, children, onClose, onConfirm }: Omit<Props, 'opened' | 'title'>) {
  const { t } = useTranslation('App');
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await onConfirm();
    setBusy(false);
  };
  return (
    <Stack>
      <Text component="div">{children}</Text>
      {typed !== undefined && (
        <TextInput
          label={t('typeName', { name: typed })}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={typed !== undefined && text !== typed}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  );
}
