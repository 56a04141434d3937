import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Example } from '@/lib/predict/useExamples';

import type { Tried } from '@/features/playground/tried';

import { ManageExamples } from './ManageExamples';

interface Props {
  tried: Tried;
  examples: readonly Example[];
  onChoose: (request: unknown) => void;
}

/** Requests that fill the form. A single one that nobody named is in the form already. */
export function ExampleChips({ tried, examples, onChoose }: Props) {
  const { t } = useTranslation('Playground');
  const saved = examples.flatMap((example) => (example.saved ? [example.saved] : []));
  if (saved.length === 0 && examples.length < 2) return null;
  return (
    <Group gap={6}>
      {examples.map(({ request, saved: from }, index) => (
        <Button
          key={from?.id.exampleId ?? JSON.stringify(request)}
          size="compact-xs"
          variant="default"
          fw={400}
          maw="100%"
          onClick={() => onChoose(request)}
        >
          {from?.name ?? t('example', { number: index + 1 })}
        </Button>
      ))}
      {tried.owner && saved.length > 0 && <ManageExamples tried={tried} examples={saved} />}
    </Group>
  );
}
