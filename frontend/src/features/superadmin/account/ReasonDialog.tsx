import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { asProblem } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import { ReasonField } from './ReasonField';

interface Props {
  opened: boolean;
  title: string;
  /** Label of the confirming button. */
  action: string;
  /** What the change stops. */
  danger?: boolean;
  /** Makes the change, and returns the server's refusal. */
  change: (reason: string) => Promise<{ error?: Parameters<typeof asProblem>[0] }>;
  onClose: () => void;
  /** What the change does. */
  children: ReactNode;
}

/** Asks for the reason of a change before it is made, and says in the same window why it was refused. */
export function ReasonDialog({ opened, title, onClose, ...others }: Props) {
  const { t } = useTranslation('App');
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Question onClose={onClose} {...others} />
    </Modal>
  );
}

function Question({ action, danger = false, change, onClose, children }: Omit<Props, 'opened' | 'title'>) {
  const { t } = useTranslation('App');
  const [busy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ reason }) => {
    refusal.clear();
    setBusy(true);
    const { error } = await change(reason.trim());
    setBusy(false);
    if (!refusal.show(error)) onClose();
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{children}</Text>
        <FormBanner refusal={refusal} />
        <ReasonField data-autofocus {...form.getInputProps('reason')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" {...(danger ? { color: 'red' } : {})} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
