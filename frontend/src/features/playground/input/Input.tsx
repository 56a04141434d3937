import { Alert, Button, Stack, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';
import { allowedValues, type Schema } from '@/lib/predict/schema';

import { AudioInput } from '@/features/playground/sound/AudioInput';
import { FileInput } from './FileInput';
import { PromptInput } from './PromptInput';
import type { Draft } from '@/features/playground/useDraft';
import { VoiceChoice } from '@/features/playground/sound/VoiceChoice';

/** No editor for longer values: nobody types sounds and files. */
const LONGEST_EDITED = 200_000;

interface Props {
  draft: Draft;
  schema: Schema | null;
  onRun: () => void;
}

/** The request, in a form for its task type or as JSON. */
export function Input({ draft, schema, onRun }: Props) {
  const { t } = useTranslation('Playground');
  if (draft.raw) {
    if (draft.text.length > LONGEST_EDITED) return <TooLong draft={draft} />;
    return <Json value={draft.text} label={t('input')} onChange={draft.setText} onRun={onRun} />;
  }
  const text = (name: string) => (typeof draft.fields[name] === 'string' ? draft.fields[name] : '');
  switch (draft.kind) {
    case 'audio':
      return <AudioInput audio={text('audio_base64')} onAudio={(audio) => draft.setFields({ audio_base64: audio })} />;
    case 'file':
      return (
        <FileInput
          name={text('fileName')}
          onFile={(file, fileName) => draft.setFields({ file_base64: file, fileName })}
        />
      );
    case 'prompt':
      return <PromptInput request={draft.fields} onChange={draft.setFields} onRun={onRun} />;
    default:
      return (
        <Stack gap="sm">
          <Textarea
            label={t(`field.${draft.kind}`)}
            autosize
            minRows={5}
            maxRows={16}
            value={draft.lines}
            onChange={({ currentTarget }) => draft.setLines(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
            }}
          />
          {draft.kind === 'text' && <VoiceChoice voices={allowedValues(schema, 'voice')} draft={draft} />}
        </Stack>
      );
  }
}

function TooLong({ draft }: { draft: Draft }) {
  const { t } = useTranslation('Playground');
  return (
    <Alert color="gray">
      <Stack align="flex-start">
        {t('tooLong', { size: Math.round(draft.text.length / 1024) })}
        <Button size="xs" variant="default" onClick={() => draft.setValue({})}>
          {t('clear')}
        </Button>
      </Stack>
    </Alert>
  );
}
