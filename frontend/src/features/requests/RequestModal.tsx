import { Button, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { MODEL_ADMIN, useRightName } from '@/lib/rights';

import { FIELDS, LONGEST, requestBody, type RequestField, type RequestName, type RequestValues } from './forms';

const EMPTY: RequestValues = { name: '', contacts: '', comment: '', question: '' };
const LONG = new Set<RequestField>(['comment', 'question']);

interface Props {
  name: RequestName;
  /** The requested feature. */
  about: string | null;
  account: string | null;
  onClose: () => void;
}

/** Sends a request to the team. It grants nothing: a person reads it and answers. */
export default function RequestModal({ name, about, account, onClose }: Props) {
  const { t } = useTranslation('Requests');
  const [sent, setSent] = useState(false);
  const done = () => {
    if (name !== 'access') return setSent(true);
    toastDone(t('accessSent'));
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(sent ? 'sent.title' : `title.${name}`)}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      {sent ? <Sent onClose={onClose} /> : <RequestForm name={name} about={about} account={account} onSent={done} />}
    </Modal>
  );
}

function Sent({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('Requests');
  return (
    <Stack>
      <Text>{t('sent.thanks')}</Text>
      <Text>{t('sent.next')}</Text>
      <Button onClick={onClose}>{t('App:close')}</Button>
    </Stack>
  );
}

function RequestForm({ name, about, account, onSent }: Omit<Props, 'onClose'> & { onSent: () => void }) {
  const { t } = useTranslation('Requests');
  const { send, isLoading } = useSend(name, about, account);
  const named = useRightName();
  const form = useForm<RequestValues>({
    initialValues: EMPTY,
    validate: { contacts: (value) => (value.trim() ? null : t('Input:Required')) },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const { error } = await send(values);
    if (!refusal.show(error)) onSent();
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text c="dimmed">{t(`hint.${name}`, { feature: named(about ?? MODEL_ADMIN) })}</Text>
        <FormBanner refusal={refusal} />
        {FIELDS[name].map((field, position) => {
          const Field = LONG.has(field) ? Textarea : TextInput;
          return (
            <Field
              key={field}
              label={t(`field.${field}`)}
              required={field === 'contacts'}
              maxLength={LONGEST[field]}
              {...(position === 0 ? { 'data-autofocus': true } : {})}
              {...form.getInputProps(field)}
            />
          );
        })}
        <Button type="submit" loading={isLoading}>
          {t('send')}
        </Button>
      </Stack>
    </form>
  );
}

/** Visitors may request a talk and a demonstration; all other requests are about an account. */
function useSend(name: RequestName, about: string | null, account: string | null) {
  const [ask, asking] = coreApi.useCoreSendContactRequestMutation();
  const [manage, managing] = coreApi.useCoreRequestFeatureMutation();
  const send = (values: RequestValues) => {
    const body = requestBody(values);
    if (name === 'demo' || name === 'contact') return ask({ contactRequestData: { ...body, kind: name } });
    const featureName = name === 'access' ? (about ?? MODEL_ADMIN) : 'service_development';
    return manage({ account: account ?? '', featureName, managementRequestData: body });
  };
  return { send, isLoading: asking.isLoading || managing.isLoading };
}
