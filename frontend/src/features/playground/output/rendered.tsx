import { Image, SimpleGrid, Stack, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';

import { EntityLegend, EntityText } from './EntityText';
import { ScoreBars } from './ScoreBars';
import {
  audioOf,
  classesOf,
  entitiesOf,
  imagesOf,
  rateOf,
  textsOf,
  transcriptsOf,
  vectorsOf,
} from '@/features/playground/shapes';
import { SimilarityTable } from './SimilarityTable';
import { soundOf, USUAL_HERTZ } from '@/features/playground/sound/sound';
import { SoundView } from '@/features/playground/sound/SoundView';

export interface Call {
  request: unknown;
  config: unknown;
  answer: unknown;
}

type View = (call: Call, t: TFunction<'Playground'>) => ReactNode;

const entities: View = ({ request, answer }) => {
  const texts = textsOf(request);
  const found = entitiesOf(answer);
  if (!texts || !found) return null;
  return (
    <Stack gap="md">
      {texts.map((text, index) => (
        <EntityText key={`${index}:${text}`} text={text} entities={found[index] ?? []} />
      ))}
      {found.some((list) => list.length > 0) && <EntityLegend entities={found.flat()} />}
    </Stack>
  );
};

const vectors: View = ({ request, answer }) => {
  const texts = textsOf(request);
  const found = vectorsOf(answer);
  return texts && found ? <SimilarityTable texts={texts} vectors={found} /> : null;
};

const classes: View = ({ request, answer }) => {
  const found = classesOf(answer);
  if (!found) return null;
  const texts = textsOf(request);
  return (
    <Stack gap="lg">
      {found.map((rows, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- one for each text, in the order of the texts
        <ScoreBars key={index} title={texts?.[index]} rows={rows} />
      ))}
    </Stack>
  );
};

const transcripts: View = ({ answer }) => {
  const heard = transcriptsOf(answer);
  return heard ? <ScoreBars rows={heard} /> : null;
};

const speech: View = ({ request, config, answer }, t) => {
  const audio = audioOf(answer);
  const sound = audio && soundOf(audio, rateOf(request) ?? rateOf(config) ?? USUAL_HERTZ);
  return sound ? <SoundView sound={sound} label={t('audio')} name="speech" /> : null;
};

const images: View = ({ answer }, t) => {
  const found = imagesOf(answer);
  if (!found) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: found.length > 1 ? 2 : 1 }}>
      {found.map((source, index) => (
        <a
          key={source.slice(-80)}
          href={source}
          download={`image-${index + 1}.png`}
          target="_blank"
          rel="noreferrer"
          aria-label={t('download')}
        >
          <Image src={source} alt={t('image', { number: index + 1 })} radius="md" />
        </a>
      ))}
    </SimpleGrid>
  );
};

const texts: View = ({ answer }) => {
  const lines = typeof answer === 'string' ? [answer] : textsOf(answer);
  if (!lines) return null;
  return (
    <Stack gap="xs">
      {lines.map((line, index) => (
        <Text key={`${index}:${line}`} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  );
};

const VIEWS = [entities, vectors, classes, transcripts, speech, images, texts];

/** A view of the answer for its task type; null if there is none. */
export function rendered(call: Call, t: TFunction<'Playground'>): ReactNode {
  for (const view of VIEWS) {
    const shown = view(call, t);
    if (shown) return shown;
  }
  return null;
}
