import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ImageInfoData } from '@/api/generated/core.gen';
import { MONOSPACED } from '@/components/code/monospaced';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';

const MODES = ['private', 'public', 'restricted'] as const;

interface Props {
  account: string;
  /** `null`: a new image. */
  image: ImageInfoData | null;
  onDone: (image: ImageInfoData) => void;
}

export function ImageForm({ account, image, onDone }: Props) {
  const { t } = useTranslation('Images');
  const [create, creating] = coreApi.useCoreCreateImageMutation();
  const [update, updating] = coreApi.useCoreUpdateImageMutation();
  const form = useForm({
    initialValues: { name: image?.name ?? '', image: image?.image ?? '', accessMode: image?.accessMode ?? 'private' },
    validate: {
      name: (value) => (value.trim() ? null : t('Input:Required')),
      image: (value) => (value.trim() ? null : t('Input:Required')),
    },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async (values) => {
    refusal.clear();
    const imageData = { name: values.name.trim(), image: values.image.trim(), accessMode: values.accessMode };
    const { error, data } = image
      ? await update({ account, imageId: image.id.imageId, imageData })
      : await create({ account, imageData });
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
          placeholder="registry.example.org/team/model:1.0"
          {...form.getInputProps('image')}
        />
        <Select
          label={t('access')}
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
