import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

const MODES = ['private', 'public', 'restricted'] as const;

interface Props {
  account: string;
  /** `null`: a new data image. */
  image: DataImageInfoData | null;
  onDone: (image: DataImageInfoData) => void;
}

export function DataImageForm({ account, image, onDone }: Props) {
  const { t } = useTranslation('DataImages');
  const [create, creating] = coreApi.useCoreCreateDataImageMutation();
  const [update, updating] = coreApi.useCoreUpdateDataImageMutation();
  const required = (value: string) => (value.trim() ? null : t('Input:Required'));
  const form = useForm({
    initialValues: {
      name: image?.name ?? '',
      image: image?.image ?? '',
      sourcePath: image?.sourcePath ?? '',
      accessMode: image?.accessMode ?? 'private',
    },
    validate: { name: required, image: required, sourcePath: required },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ accessMode, ...values }) => {
    refusal.clear();
    const dataImageData = {
      name: values.name.trim(),
      image: values.image.trim(),
      sourcePath: values.sourcePath.trim(),
      accessMode,
    };
    const { error, data } = image
      ? await update({ account, imageId: image.id.imageId, dataImageData })
      : await create({ account, dataImageData });
    if (refusal.show(error) || !data) return;
    toastDone(t('saved'));
    form.resetDirty();
    onDone(data);
  }, refusal.showInvalid);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner refusal={refusal} />
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          required
          data-autofocus={image === null}
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('image')}
          description={t('imageHint')}
          required
          styles={MONOSPACED}
          maxLength={512}
          placeholder="registry.example.org/team/weights:1.0"
          {...form.getInputProps('image')}
        />
        <TextInput
          label={t('sourcePath')}
          description={t('sourcePathHint')}
          required
          styles={MONOSPACED}
          maxLength={512}
          placeholder="/models"
          {...form.getInputProps('sourcePath')}
        />
        <Select
          label={t('accessMode')}
          description={t(`modeHint.${form.values.accessMode}`)}
          allowDeselect={false}
          data={MODES.map((value) => ({ value, label: t(`mode.${value}`) }))}
          {...form.getInputProps('accessMode')}
        />
        <Button
          type="submit"
          loading={creating.isLoading || updating.isLoading}
          disabled={image !== null && !form.isDirty()}
        >
          {t(image ? 'App:save' : 'App:create')}
        </Button>
      </Stack>
    </form>
  );
}
