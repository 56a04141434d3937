import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { toBase64 } from '@/lib/predict/base64';

import { Upload } from '@/features/playground/Upload';

interface Props {
  name: string;
  onFile: (base64: string, name: string) => void;
}

export function FileInput({ name, onFile }: Props) {
  const { t } = useTranslation('Playground');
  const read = async (file: File) => onFile(toBase64(new Uint8Array(await file.arrayBuffer())), file.name);
  return (
    <Stack gap="xs">
      <Upload label={t('upload')} onFile={(file) => void read(file)} />
      {name && (
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      )}
    </Stack>
  );
}
