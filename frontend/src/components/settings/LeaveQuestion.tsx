import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useDrafts } from './drafts';
import { Changed } from './SaveBar';

/** What is to become of unsaved changes. */
export default function LeaveQuestion({ onStay, onGo }: { onStay: () => void; onGo: () => void }) {
  const { t } = useTranslation('Unsaved');
  const { changed, save, discard } = useDrafts();
  const [saving, setSaving] = useState(false);
  // The names stay while the modal closes.
  const [names] = useState(changed);
  const keep = async () => {
    setSaving(true);
    const complete = await save();
    setSaving(false);
    return complete ? onGo() : onStay();
  };
  const drop = () => {
    discard();
    onGo();
  };
  return (
    <Modal opened onClose={onStay} title={t('leaveTitle')} closeButtonProps={{ 'aria-label': t('App:close') }}>
      <Stack>
        <Text>
          <Changed names={names} />
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={drop} disabled={saving}>
            {t('leave')}
          </Button>
          <Button loading={saving} onClick={() => void keep()} data-autofocus>
            {t('saveAndLeave')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
