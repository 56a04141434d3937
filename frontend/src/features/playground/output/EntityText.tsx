import { Group, Text } from '@mantine/core';
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

/** The types of the marked entities with their colours, and how many of each there are. */
export function EntityLegend({ entities }: { entities: readonly Entity[] }) {
  const counts = new Map<string, number>();
  for (const { type } of entities) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  return (
    <Group gap="md" data-testid="legend">
      {types.map(([type, count]) => (
        <Group key={type} gap={6} wrap="nowrap">
          <span className={classes.swatch} data-tone={tone(type)} aria-hidden />
          <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {type}
          </Text>
          <Text size="sm" c="dimmed">
            {count}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
