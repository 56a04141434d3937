import { Box, Group, Image, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/Json';

import { EntityText } from './EntityText';
import { audioOf, entitiesOf, imagesOf, textsOf, vectorsOf } from './shapes';
import { SimilarityTable } from './SimilarityTable';

/** The answer as what it is; raw JSON is one click away. */
export function Output({ request, answer }: { request: unknown; answer: unknown }) {
  const { t } = useTranslation('Playground');
  const [raw, setRaw] = useState(false);
  const rendered = render(request, answer, t('audio'));
  const text = JSON.stringify(answer, null, 2);
  return (
    <Stack gap="sm">
      {rendered && (
        <Group justify="flex-end">
          <SegmentedControl
            size="xs"
            aria-label={t('view')}
            value={raw ? 'raw' : 'rendered'}
            onChange={(value) => setRaw(value === 'raw')}
            data={[
              { value: 'rendered', label: t('rendered') },
              { value: 'raw', label: 'JSON' },
            ]}
          />
        </Group>
      )}
      {rendered && !raw ? rendered : <Json value={text} label={t('output')} />}
    </Stack>
  );
}

function render(request: unknown, answer: unknown, audioLabel: string): ReactNode {
  const texts = textsOf(request);
  const entities = entitiesOf(answer);
  if (texts && entities) {
    return (
      <Stack gap="md">
        {texts.map((text, index) => (
          <EntityText key={`${index}:${text}`} text={text} entities={entities[index] ?? []} />
        ))}
      </Stack>
    );
  }
  const vectors = vectorsOf(answer);
  if (texts && vectors) return <SimilarityTable texts={texts} vectors={vectors} />;
  const audio = audioOf(answer);
  if (audio) {
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- the text that was read stands beside it
      <audio controls src={audio} aria-label={audioLabel} style={{ width: '100%' }} />
    );
  }
  const images = imagesOf(answer);
  if (images) return <Group>{images.map((source) => <Image key={source} src={source} alt="" radius="md" maw={360} />)}</Group>;
  if (typeof answer === 'string') {
    return (
      <Box>
        <Text style={{ whiteSpace: 'pre-wrap' }}>{answer}</Text>
      </Box>
    );
  }
  return null;
}
