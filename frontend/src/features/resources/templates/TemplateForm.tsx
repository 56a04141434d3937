import { Button, Group, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ServerTemplateData } from '@/api/generated/core.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { useSettings } from '@/lib/session';

import { PriceFields } from './PriceFields';
import { dataOf, FIELD_OF, valuesOf } from './values';

/** A template that is made, changed, or copied: a copy begins with the values of another template. */
export type Edited =
  | { kind: 'create' }
  | { kind: 'edit'; template: ServerTemplateData }
  | { kind: 'copy'; template: ServerTemplateData };

interface Props {
  account: string;
  edited: Edited;
  onDone: () => void;
}

const MOST_NAME = 64;
const DONE = { create: 'created', edit: 'updated', copy: 'copied' } as const;

export function TemplateForm({ account, edited, onDone }: Props) {
  const { t } = useTranslation('Templates');
  const { data: settings } = useSettings();
  const [create, creating] = coreApi.useCoreAddServerTemplateMutation();
  const [update, updating] = coreApi.useCoreUpdateServerTemplateMutation();
  const start = valuesOf(edited.kind === 'create' ? null : edited.template, settings?.currencyType ?? 'RUBLE');
  const form = useForm({
    initialValues:
      edited.kind === 'copy' ? { ...start, name: t('copyName', { name: start.name }).slice(0, MOST_NAME) } : start,
    validate: {
      name: (value) => (value.trim() ? null : t('Input:Required')),
      rawConfiguration: (value) => (value.trim() ? null : t('Input:Required')),
    },
  });
  const refusal = useFormRefusal(form, FIELD_OF);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const createUpdateServerTemplateData = dataOf(values);
    const { error } =
      edited.kind === 'edit'
        ? await update({ account, templateId: edited.template.id, createUpdateServerTemplateData })
        : await create({ account, createUpdateServerTemplateData });
    if (refusal.show(error)) return;
    toastDone(t(DONE[edited.kind]));
    onDone();
  }, refusal.showInvalid);
  return (
    <form autoComplete="off" onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput label={t('name')} required data-autofocus maxLength={MOST_NAME} {...form.getInputProps('name')} />
        <Textarea
          label={t('description')}
          maxLength={1024}
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        <Textarea
          label={t('configuration')}
          description={t('configurationHint')}
          required
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          styles={MONOSPACED}
          {...form.getInputProps('rawConfiguration')}
        />
        <Part title={t('capacity')} hint={t('capacityHint')} />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput label={t('cpu')} placeholder="8" maxLength={32} {...form.getInputProps('cpu')} />
          <TextInput label={t('memory')} placeholder="32Gi" maxLength={32} {...form.getInputProps('memory')} />
          <TextInput label={t('disk')} placeholder="200Gi" maxLength={32} {...form.getInputProps('disk')} />
        </SimpleGrid>
        <TextInput
          label={t('gpuModels')}
          description={t('gpuModelsHint')}
          placeholder="NVIDIA L4, NVIDIA L4"
          {...form.getInputProps('gpuModels')}
        />
        <Part title={t('prices')} />
        <PriceFields form={form} />
        <Part title={t('notes')} hint={t('notesHint')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t('internalName')} maxLength={128} {...form.getInputProps('internalTemplateName')} />
          <TextInput label={t('username')} maxLength={128} {...form.getInputProps('username')} />
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit" loading={creating.isLoading || updating.isLoading}>
            {t(edited.kind === 'edit' ? 'App:save' : 'App:create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The heading of the fields that follow. */
function Part({ title, hint }: { title: string; hint?: string }) {
  return (
    <div>
      <Title order={3}>{title}</Title>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
    </div>
  );
}
