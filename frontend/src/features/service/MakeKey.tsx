import { Button, Checkbox, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { AccessTokenData, ModelInfoData } from '@/api/generated/core.gen';
import { useProblemToast } from '@/components/feedback/useProblemToast';

interface Props {
  account: string;
  model: ModelInfoData;
  onMade: (key: AccessTokenData) => void;
}

/** Creates a key that may call; its limits are set on the page of keys. */
export function MakeKey({ account, model, onMade }: Props) {
  const { t } = useTranslation('Service');
  const [opened, { open, close }] = useDisclosure(false);
  const [name, setName] = useState(model.modelName);
  const [only, setOnly] = useState(true);
  const [create, { isLoading }] = coreApi.useCoreCreateAccessTokenMutation();
  const refused = useProblemToast();
  const make = async () => {
    const { data, error } = await create({ account, body: { name: name.trim(), permissions: ['predict'], allowedServices: only ? [model.id] : null } });
    if (refused(t('keyNotMade'), error) || !data) return;
    onMade(data);
    close();
  };
  return (
    <>
      <Button size="xs" variant="light" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        {t('makeKey')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('makeKey')} size="sm" closeButtonProps={{ 'aria-label': t('App:close') }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim()) void make();
          }}
        >
          <Stack gap="sm">
            <TextInput label={t('keyName')} required data-autofocus maxLength={128} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
            <Checkbox label={t('keyOnly')} checked={only} onChange={({ currentTarget }) => setOnly(currentTarget.checked)} />
            <Button type="submit" loading={isLoading} disabled={!name.trim()}>
              {t('makeKeyNow')}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
