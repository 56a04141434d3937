import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmarkPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

import type { Tried } from '@/features/playground/tried';

interface Props {
  tried: Tried;
  request: unknown;
  answer: unknown;
}

/** Saves the call as an example for everybody who sees the service. */
export function SaveExample(props: Props) {
  const { t } = useTranslation('Examples');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        fw={400}
        leftSection={<IconBookmarkPlus size={16} aria-hidden />}
        onClick={open}
      >
        {t('save')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('saveTitle')} closeButtonProps={{ 'aria-label': t('App:close') }}>
        <SaveForm {...props} onDone={close} />
      </Modal>
    </>
  );
}

function SaveForm({ tried, request, answer, onDone }: Props & { onDone: () => void }) {
  const { t } = useTranslation('Examples');
  const [create, { isLoading }] = coreApi.useCoreCreateExampleMutation();
  const form = useForm({ initialValues: { name: '', withAnswer: true } });
  const refusal = useFormRefusal(form, { answer: 'withAnswer' });
  const submit = form.onSubmit(async ({ name, withAnswer }) => {
    refusal.clear();
    const exampleCreateData = {
      name: name.trim(),
      request: JSON.stringify(request),
      answer: withAnswer ? JSON.stringify(answer) : null,
    };
    const { error } = await create({ account: tried.account, model: tried.model, exampleCreateData });
    if (refusal.show(error)) return;
    toastDone(t('saved'));
    onDone();
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <Text size="sm" c="dimmed">
          {t('saveHint')}
        </Text>
        <TextInput label={t('name')} required data-autofocus maxLength={80} {...form.getInputProps('name')} />
        <Checkbox
          label={t('withAnswer')}
          description={t('withAnswerHint')}
          {...form.getInputProps('withAnswer', { type: 'checkbox' })}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('App:cancel')}
          </Button>
          <Button type="submit" loading={isLoading} disabled={!form.values.name.trim()}>
            {t('saveNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
