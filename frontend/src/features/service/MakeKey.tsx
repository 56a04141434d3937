import { Button, Checkbox, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { AccessTokenData, ModelInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

interface Props {
  account: string;
  model: ModelInfoData;
  onMade: (key: AccessTokenData) => void;
}

/** Creates a key that may call; its limits are set on the page of keys. */
export function MakeKey({ account, model, onMade }: Props) {
  const { t } = useTranslation('Service');
  const [opened, { open, close }] = useDisclosure(false);
  const made = (key: AccessTokenData) => {
    onMade(key);
    close();
  };
  return (
    <>
      <Button size="xs" variant="light" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        {t('makeKey')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('makeKey')}
        size="sm"
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        <KeyForm account={account} model={model} onMade={made} />
      </Modal>
    </>
  );
}

function KeyForm({ account, model, onMade }: Props) {
  const { t } = useTranslation('Service');
  const [create, { isLoading }] = coreApi.useCoreCreateAccessTokenMutation();
  const form = useForm({ initialValues: { name: model.modelName, only: true } });
  const refusal = useFormRefusal(form, { allowedServices: 'only' });
  const submit = form.onSubmit(async ({ name, only }) => {
    refusal.clear();
    const { data, error } = await create({
      account,
      body: { name: name.trim(), permissions: ['predict'], allowedServices: only ? [model.id] : null },
    });
    if (!refusal.show(error) && data) onMade(data);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormBanner refusal={refusal} />
        <TextInput label={t('keyName')} required data-autofocus maxLength={128} {...form.getInputProps('name')} />
        <Checkbox label={t('keyOnly')} {...form.getInputProps('only', { type: 'checkbox' })} />
        <Button type="submit" loading={isLoading} disabled={!form.values.name.trim()}>
          {t('makeKeyNow')}
        </Button>
      </Stack>
    </form>
  );
}
