import { Group, Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { fieldsOf, type Draft } from '@/features/playground/useDraft';

const RATES = ['8000', '16000', '22050', '24000', '44100', '48000'];

/** Voice and sampling rate of synthesised speech; the service chooses what is left open. */
export function VoiceChoice({ voices, draft }: { voices: string[] | null; draft: Draft }) {
  const { t } = useTranslation('Playground');
  const voice = typeof draft.fields.voice === 'string' ? draft.fields.voice : '';
  const spec = fieldsOf(draft.fields.outputAudioSpec);
  const rate = typeof spec.sampleRateHertz === 'number' ? String(spec.sampleRateHertz) : null;
  const setRate = (chosen: string | null) =>
    draft.setFields({
      outputAudioSpec:
        chosen === null ? undefined : { audioEncoding: 'LINEAR16_PCM', ...spec, sampleRateHertz: Number(chosen) },
    });
  return (
    <Group grow>
      {voices ? (
        <Select
          label={t('voice')}
          placeholder={t('asService')}
          data={voices}
          value={voice || null}
          onChange={(chosen) => draft.setFields({ voice: chosen ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
        />
      ) : (
        <TextInput
          label={t('voice')}
          placeholder={t('asService')}
          value={voice}
          onChange={({ currentTarget }) => draft.setFields({ voice: currentTarget.value || undefined })}
        />
      )}
      <Select
        label={t('rate')}
        placeholder={t('asService')}
        data={RATES}
        value={rate}
        onChange={setRate}
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
      />
    </Group>
  );
}
