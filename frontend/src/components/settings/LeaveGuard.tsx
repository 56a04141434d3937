import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';

import { useDrafts } from './drafts';
import { Changed } from './SaveBar';

interface Props {
  /** Something besides navigation that would lose the changes, such as closing a drawer. */
  going: (() => void) | null;
  onDone: () => void;
}

/** Asks before unsaved changes are lost: by another page of ours, or by closing this one. */
export function LeaveGuard({ going, onDone }: Props) {
  const { changed } = useDrafts();
  const dirty = changed.length > 0;
  // A modal in the address, such as a request for access, keeps the page and its forms.
  const blocker = useBlocker(({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  if (blocker.state === 'blocked') return <Question onStay={() => blocker.reset()} onGo={() => blocker.proceed()} />;
  return going && <Question onStay={onDone} onGo={() => (onDone(), going())} />;
}

function Question({ onStay, onGo }: { onStay: () => void; onGo: () => void }) {
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
