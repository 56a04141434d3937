import { Alert, Anchor, FileButton, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DatasetInfoData } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { toastDone } from '@/components/feedback/Toasts';

import { RowsEditor } from './RowsEditor';
import { contentPath, endingsOf, faultOf, type FileFault, isTable } from './types';
import { UploadProgress } from './UploadProgress';
import { useUpload } from './useUpload';

interface Props {
  account: string;
  dataset: DatasetInfoData;
}

/** Upload, download in each format, and a table of the rows. */
export function DatasetContent({ account, dataset }: Props) {
  const { t } = useTranslation('Datasets');
  const upload = useUpload();
  const [fault, setFault] = useState<FileFault | null>(null);
  const endings = endingsOf(dataset.dataType);
  const send = async (file: File | null) => {
    if (!file) return;
    const found = faultOf(file, dataset.dataType);
    setFault(found);
    upload.clear();
    if (!found && (await upload.send(contentPath(account, dataset.id.datasetId), file))) toastDone(t('uploaded'));
  };
  return (
    <Stack gap="lg">
      <Group align="center">
        <FileButton onChange={(file) => void send(file)} accept={endings.join(',')}>
          {(props) => (
            <Button leftSection={<IconUpload size={16} aria-hidden />} loading={upload.progress !== null} {...props}>
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
      <UploadProgress upload={upload} />
      {fault && (
        <Alert color="red" role="alert">
          {t(`fault.${fault}`, { endings: endings.join(', ') })}
        </Alert>
      )}
      <FormBanner refusal={{ problem: upload.problem, fields: [], count: upload.refusals }} />
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
