import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface Props {
  title: string;
  text: string;
  /** Label of the button that closes. */
  action: string;
  onStay: () => void;
  onClose: () => void;
}

/** Asks before closing loses something. It has no × of its own: what would that close? */
export function CloseQuestion({ title, text, action, onStay, onClose }: Props) {
  const { t } = useTranslation('Keys');
  return (
    <Modal opened onClose={onStay} title={title} withCloseButton={false}>
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t('stay')}
          </Button>
          <Button color="red" onClick={onClose}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
