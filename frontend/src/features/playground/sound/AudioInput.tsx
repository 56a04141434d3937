import { Alert, Button, Loader, Stack, Text } from '@mantine/core';
import { IconMicrophone, IconPlayerStopFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { toBase64 } from '@/lib/predict/base64';

import { LONGEST_MS, useRecorder } from './useRecorder';
import { soundOf, SPEECH_HERTZ } from './sound';
import { SoundView } from './SoundView';
import { Upload } from '@/features/playground/Upload';

interface Props {
  /** Base64; empty if there is none. */
  audio: string;
  onAudio: (audio: string) => void;
}

/** Recorded or uploaded speech. */
export function AudioInput({ audio, onAudio }: Props) {
  const { t } = useTranslation('Playground');
  const recorder = useRecorder((wav) => onAudio(toBase64(wav)));
  const upload = async (file: File) => onAudio(toBase64(new Uint8Array(await file.arrayBuffer())));
  const sound = audio ? soundOf(audio, SPEECH_HERTZ) : null;
  return (
    <Stack gap="sm">
      <Upload kind="audio/" label={t('upload')} onFile={(file) => void upload(file)}>
        <Recording recorder={recorder} />
      </Upload>
      {recorder.fault && (
        <Alert color="yellow" role="alert">
          {t(`microphone.${recorder.fault}`)}
        </Alert>
      )}
      {sound && <SoundView sound={sound} label={t('yourAudio')} name="speech" />}
    </Stack>
  );
}

function Recording({ recorder }: { recorder: ReturnType<typeof useRecorder> }) {
  const { t } = useTranslation('Playground');
  if (recorder.state === 'recording') {
    return (
      <>
        <Button color="red" leftSection={<IconPlayerStopFilled size={16} aria-hidden />} onClick={recorder.stop}>
          {t('stopRecording')}
        </Button>
        <Text size="sm" component="output">
          {t('recording', { seconds: LONGEST_MS / 1000 })}
        </Text>
      </>
    );
  }
  if (recorder.state !== 'idle') return <Loader size="sm" aria-label={t('running')} />;
  return (
    <Button variant="light" leftSection={<IconMicrophone size={16} aria-hidden />} onClick={recorder.start}>
      {t('record')}
    </Button>
  );
}
