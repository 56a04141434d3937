import { Alert, Anchor, Button, FileButton, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import type { ArchivedRequestData } from '@/api/generated/gateway.gen';
import { CodeBlock } from '@/components/code/CodeBlock';
import { ProblemView } from '@/components/feedback/ProblemView';

import { archiveApi, path } from './api';
import { readable } from './content';
import type { KeyFault } from './jwe';

interface Props {
  account: string;
  model: string;
  record: ArchivedRequestData;
  onClose: () => void;
}

/** One request with its answer. */
export function RecordModal({ account, model, record, onClose }: Props) {
  const { t } = useTranslation('Archive');
  const which = { account, model, id: record.id };
  const { data, error, refetch } = archiveApi.useArchivedContentQuery(which);
  const problem = asProblem(error);
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={t('request', { id: record.requestId })}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      <Stack>
        {problem && <ProblemView problem={problem} again={() => void refetch()} />}
        {!problem && data === undefined && <Skeleton h={200} />}
        {data !== undefined &&
          (record.keyId ? <Sealed content={data} /> : <CodeBlock code={readable(data)} label={t('content')} />)}
        <Anchor href={path(which)} download size="sm">
          {t('download')}
        </Anchor>
      </Stack>
    </Modal>
  );
}

/** Decrypts the record with a key from a file. The key is not sent anywhere. */
function Sealed({ content }: { content: string }) {
  const { t } = useTranslation('Archive');
  const [text, setText] = useState<string | null>(null);
  const [fault, setFault] = useState<KeyFault | null>(null);
  const open = async (file: File | null) => {
    if (!file) return;
    // The cryptography is loaded only for those who have a key.
    const { opened, OpeningError, readKey } = await import('./jwe');
    try {
      setText(await opened(content, await readKey(await file.text())));
      setFault(null);
    } catch (error) {
      setFault(error instanceof OpeningError ? error.fault : 'broken');
    }
  };
  if (text !== null) return <CodeBlock code={readable(text)} label={t('content')} />;
  return (
    <Stack gap="sm">
      <Text>{t('sealed')}</Text>
      <Group>
        <FileButton
          onChange={(file) => void open(file)}
          accept=".pem,.key,application/x-pem-file"
          inputProps={{ 'aria-label': t('chooseKey') }}
        >
          {(props) => <Button {...props}>{t('chooseKey')}</Button>}
        </FileButton>
      </Group>
      {fault && (
        <Alert color="red" role="alert">
          {t(`fault.${fault}`)}
        </Alert>
      )}
    </Stack>
  );
}
