import { Button, FileInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { DatasetInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { FileDrop } from '@/components/upload/FileDrop';
import { UploadRefusal } from '@/components/upload/UploadRefusal';
import { useFaultText } from '@/lib/uploads/useFaultText';

import { endingsOf, faultOf, newDatasetPath } from './types';
import { UploadProgress } from './UploadProgress';
import { useBounds } from './useBounds';
import { useUpload } from './useUpload';

const MODES = ['private', 'public', 'restricted'] as const;

type Values = {
  name: string;
  description: string;
  dataType: string;
  accessMode: (typeof MODES)[number];
  file: File | null;
};

interface Props {
  account: string;
  /** `null`: a new dataset, which may begin with a file. */
  dataset: DatasetInfoData | null;
  onDone: (dataset: DatasetInfoData) => void;
}

export function DatasetForm({ account, dataset, onDone }: Props) {
  const { t } = useTranslation('Datasets');
  const types = coreApi.useCoreGetDatasetDataTypesQuery();
  const [create, creating] = coreApi.useCoreCreateEmptyDatasetMutation();
  const [update, updating] = coreApi.useCoreUpdateDatasetMutation();
  const upload = useUpload();
  const bounds = useBounds(account, 0, { skip: dataset !== null });
  const textOf = useFaultText();
  /** All that were dropped; the form takes one. */
  const [files, setFiles] = useState<readonly File[]>([]);
  const faultIn = (chosen: readonly File[], dataType: string) => {
    const fault = faultOf(chosen, dataType, bounds);
    return fault && textOf(fault);
  };
  const form = useForm<Values>({
    initialValues: {
      name: dataset?.name ?? '',
      description: dataset?.description ?? '',
      dataType: dataset?.dataType ?? 'json/any',
      accessMode: dataset?.accessMode ?? 'private',
      file: null,
    },
    validate: {
      name: (value) => (value.trim() ? null : t('Input:Required')),
      file: (_file, { dataType }) => faultIn(files, dataType),
    },
  });
  const refusal = useFormRefusal(form);
  const submit = form.onSubmit(async ({ file, ...values }) => {
    refusal.clear();
    const data = { ...values, name: values.name.trim() };
    if (file && !dataset) {
      const made = await upload.send(newDatasetPath(account, data), file);
      if (made) done(made);
      return;
    }
    const result = dataset
      ? await update({ account, datasetId: dataset.id.datasetId, createOrUpdateDatasetInfoData: data })
      : await create({ account, createOrUpdateDatasetInfoData: data });
    if (refusal.show(result.error) || !result.data) return;
    done(result.data);
  }, refusal.showInvalid);
  const done = (made: DatasetInfoData) => {
    toastDone(t('saved'));
    form.resetDirty();
    onDone(made);
  };
  /** Not by `setFieldError`, which drops a text that the change of a field has just cleared. */
  const showFault = (chosen: readonly File[], dataType: string) => {
    const fault = faultIn(chosen, dataType);
    form.setErrors((errors) => ({ ...errors, file: fault }));
  };
  const choose = (chosen: readonly File[]) => {
    setFiles(chosen);
    form.setFieldValue('file', chosen.length === 1 ? (chosen[0] ?? null) : null);
    showFault(chosen, form.getValues().dataType);
  };
  const chooseType = (dataType: string | null) => {
    if (dataType === null) return;
    form.setFieldValue('dataType', dataType);
    showFault(files, dataType);
  };
  const filled = dataset !== null && dataset.size > 0;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormBanner
          refusal={{
            ...refusal,
            ...(upload.problem && { problem: upload.problem, fields: [] }),
            count: refusal.count + upload.refusals,
          }}
        >
          {upload.problem && upload.file && <UploadRefusal problem={upload.problem} file={upload.file} />}
        </FormBanner>
        <TextInput label={t('name')} required data-autofocus maxLength={128} {...form.getInputProps('name')} />
        <Textarea
          label={t('description')}
          autosize
          minRows={2}
          maxLength={4096}
          {...form.getInputProps('description')}
        />
        <Select
          label={t('type')}
          description={filled ? t('typeKept') : t('typeHint')}
          readOnly={filled}
          allowDeselect={false}
          searchable
          data={types.data ?? [form.values.dataType]}
          {...form.getInputProps('dataType')}
          onChange={chooseType}
        />
        <Select
          label={t('access')}
          allowDeselect={false}
          data={MODES.map((value) => ({ value, label: t(`mode.${value}`) }))}
          {...form.getInputProps('accessMode')}
        />
        {!dataset && (
          <FileDrop onFiles={upload.progress === null ? choose : null}>
            <FileInput
              label={t('file')}
              description={t('fileHint')}
              placeholder={t('chooseFile')}
              clearable
              accept={endingsOf(form.values.dataType).join(',')}
              clearButtonProps={{ 'aria-label': t('noFile') }}
              {...form.getInputProps('file')}
              onChange={(file) => choose(file ? [file] : [])}
            />
          </FileDrop>
        )}
        <UploadProgress upload={upload} />
        <Button
          type="submit"
          loading={creating.isLoading || updating.isLoading || upload.progress !== null}
          disabled={dataset !== null && !form.isDirty()}
        >
          {t(dataset ? 'App:save' : 'App:create')}
        </Button>
      </Stack>
    </form>
  );
}
