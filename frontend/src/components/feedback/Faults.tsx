import { Code, List } from '@mantine/core';

import type { Fault } from '@/lib/problems/words';

/** What is wrong with values that have no field on the screen. */
export function Faults({ faults }: { faults: readonly Fault[] }) {
  if (!faults.length) return null;
  return (
    <List size="sm" withPadding={false} style={{ overflowWrap: 'anywhere' }}>
      {faults.map(({ path, text }) => (
        <List.Item key={path}>
          <Code>{path}</Code> {text}
        </List.Item>
      ))}
    </List>
  );
}
