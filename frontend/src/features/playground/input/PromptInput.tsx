import { Group, NumberInput, Select, Stack, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const SIZES = ['256x256', '512x512', '1024x1024', '1024x1792', '1792x1024'];
const MOST_IMAGES = 10;

interface Props {
  request: Record<string, unknown>;
  onChange: (part: Record<string, unknown>) => void;
  onRun: () => void;
}

export function PromptInput({ request, onChange, onRun }: Props) {
  const { t } = useTranslation('Playground');
  return (
    <Stack gap="sm">
      <Textarea
        label={t('field.prompt')}
        autosize
        minRows={3}
        maxRows={12}
        value={typeof request.prompt === 'string' ? request.prompt : ''}
        onChange={({ currentTarget }) => onChange({ prompt: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
        }}
      />
      <Group grow>
        <Select
          label={t('imageSize')}
          data={SIZES}
          value={typeof request.size === 'string' ? request.size : null}
          onChange={(size) => onChange({ size: size ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': t('clear') }}
        />
        <NumberInput
          label={t('imageCount')}
          min={1}
          max={MOST_IMAGES}
          allowDecimal={false}
          value={typeof request.n === 'number' ? request.n : 1}
          onChange={(n) => onChange({ n: Number(n) || 1 })}
        />
      </Group>
    </Stack>
  );
}
