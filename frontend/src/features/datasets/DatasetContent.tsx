import { Alert, Anchor, FileButton, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DatasetInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';
import { FileDrop } from '@/components/upload/FileDrop';
import { UploadRefusal } from '@/components/upload/UploadRefusal';
import type { UploadFault } from '@/lib/uploads/faults';
import { useFaultText } from '@/lib/uploads/useFaultText';

import { RowsEditor } from './RowsEditor';
import { contentPath, endingsOf, faultOf, isTable } from './types';
import { UploadProgress } from './UploadProgress';
import { useBounds } from './useBounds';
import { useUpload } from './useUpload';

interface Props {
  account: string;
  dataset: DatasetInfoData;
}

/** Upload, download in each format, and a table of the rows. */
export function DatasetContent({ account, dataset }: Props) {
  const { t } = useTranslation('Datasets');
  const upload = useUpload();
  const textOf = useFaultText();
  const bounds = useBounds(account, dataset.size);
  const [fault, setFault] = useState<UploadFault | null>(null);
  const reset = useRef<() => void>(null);
  const busy = upload.progress !== null;
  const send = async (files: readonly File[]) => {
    const [file] = files;
    // Else the same file could not be chosen again.
    reset.current?.();
    if (!file) return;
    const found = faultOf(files, dataset.dataType, bounds);
    setFault(found);
    upload.clear();
    if (!found && (await upload.send(contentPath(account, dataset.id.datasetId), file))) toastDone(t('uploaded'));
  };
  return (
    <Stack gap="lg">
      <FileDrop onFiles={busy ? null : (files) => void send(files)}>
        <Group align="center">
          <FileButton
            onChange={(file) => void send(file ? [file] : [])}
            accept={endingsOf(dataset.dataType).join(',')}
            resetRef={reset}
            inputProps={{ 'aria-label': t('chooseFile') }}
          >
            {(props) => (
              <Button leftSection={<IconUpload size={16} aria-hidden />} loading={busy} {...props}>
                {t('replace')}
              </Button>
            )}
          </FileButton>
          <Text c="dimmed">{t('downloadAs')}</Text>
          {dataset.allowedTypes.map((type) => (
            <Anchor key={type} href={contentPath(account, dataset.id.datasetId, type)} download>
              {type}
            </Anchor>
          ))}
        </Group>
      </FileDrop>
      <UploadProgress upload={upload} />
      {fault && (
        <Alert color="red" role="alert">
          {textOf(fault)}
        </Alert>
      )}
      <FormBanner refusal={{ problem: upload.problem, fields: [], count: upload.refusals }}>
        {upload.problem && upload.file && <UploadRefusal problem={upload.problem} file={upload.file} />}
      </FormBanner>
      {isTable(dataset.dataType) ? (
        <RowsEditor key={dataset.version} account={account} dataset={dataset} />
      ) : (
        <>
          <Title order={3}>{t('noTable')}</Title>
          <Text c="dimmed">{t('noTableHint')}</Text>
        </>
      )}
    </Stack>
  );
}
