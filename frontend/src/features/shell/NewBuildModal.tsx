import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Offers to reload with a newer build, without interrupting anybody's typing. */
export default function NewBuildModal({ onClose, onNever }: { onClose: () => void; onNever: () => void }) {
  const { t } = useTranslation('NewBuild');
  const [never, setNever] = useState(false);
  const close = () => {
    onClose();
    if (never) onNever();
  };
  const reload = () => {
    if (never) onNever();
    window.location.reload();
  };
  return (
    <Modal opened onClose={close} title={t('title')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Stack>
        <Text>{t('text')}</Text>
        <Checkbox
          label={t('never')}
          checked={never}
          onChange={({ currentTarget }) => setNever(currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('later')}
          </Button>
          <Button onClick={reload}>{t('reload')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
