import { Text } from '@mantine/core';
import { Fragment } from 'react';

import classes from './EntityText.module.css';
import type { Entity } from '@/features/playground/shapes';

const TONES = 6;

function tone(type: string): number {
  let sum = 0;
  for (const letter of type) sum += letter.codePointAt(0) ?? 0;
  return sum % TONES;
}

/** The text with marked entities. Each mark shows its type as text, since colour alone is not accessible. */
export function EntityText({ text, entities }: { text: string; entities: readonly Entity[] }) {
  // Spans count code points, as Python does; a JavaScript string counts an emoji twice.
  const letters = Array.from(text);
  const between = (start: number, end?: number) => letters.slice(start, end).join('');
  return (
    <Text size="lg" lh={2} component="p" m={0}>
      {entities.map((entity, index) => (
        <Fragment key={entity.start}>
          {between(entities[index - 1]?.end ?? 0, entity.start)}
          <mark className={classes.entity} data-tone={tone(entity.type)}>
            {between(entity.start, entity.end)} <span className={classes.type}>{entity.type}</span>
          </mark>
        </Fragment>
      ))}
      {between(entities.at(-1)?.end ?? 0)}
    </Text>
  );
}
