import { Button, SegmentedControl, Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { Severity } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

const SEVERITIES: Severity[] = ['INFO', 'WARNING', 'ERROR'];

/** Sends a notification to everybody. */
export function Broadcast() {
  const { t } = useTranslation('Admin');
  const [send, { isLoading }] = coreApi.useCoreBroadcastNotificationMutation();
  const form = useForm<{ textMessage: string; severity: Severity }>({
    initialValues: { textMessage: '', severity: 'INFO' },
    validate: { textMessage: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (broadcastNotificationRequest) => {
    refusal.clear();
    const { error } = await send({ broadcastNotificationRequest });
    if (refusal.show(error)) return;
    form.reset();
    toastDone(t('broadcastSent'));
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={640}>
        <FormBanner refusal={refusal} />
        <Textarea
          label={t('broadcastText')}
          description={t('broadcastHint')}
          required
          autosize
          minRows={3}
          maxLength={2000}
          {...form.getInputProps('textMessage')}
        />
        <SegmentedControl
          w="fit-content"
          aria-label={t('severity')}
          data={SEVERITIES.map((value) => ({ value, label: t(`severities.${value}`) }))}
          {...form.getInputProps('severity')}
        />
        <Button type="submit" w="fit-content" loading={isLoading}>
          {t('broadcastSend')}
        </Button>
      </Stack>
    </form>
  );
}
