import { List, Text } from '@mantine/core';

import type { LackData } from '@/api/generated/core.gen';
import { formatBytes } from '@/lib/format/bytes';
import { formatNumber } from '@/lib/format/number';
import { useProblemTexts } from '@/lib/problems/texts';
import { textOf } from '@/lib/problems/words';

const MIB = 2 ** 20;
const CORE = 1000;

/** How much is missing, in the unit of what is missing. */
function missingOf({ what, missing }: LackData, language: string): string {
  if (what === 'cpu') return formatNumber(missing / CORE, language);
  return what === 'memory' || what === 'disk' || what === 'vram'
    ? formatBytes(missing * MIB, language)
    : formatNumber(missing, language);
}

/** What the servers of a group lack, with the number of servers for each lack. */
export function Lacking({ servers, lacking }: { servers: number; lacking: readonly LackData[] }) {
  const language = useProblemTexts();
  const counted = (count: number) => formatNumber(count, language.language);
  return (
    <>
      <Text size="sm">{textOf(language, 'lack.servers', { count: counted(servers) })}</Text>
      <List size="sm" withPadding>
        {lacking.map((lack) => (
          <List.Item key={lack.what}>
            {textOf(language, `lack.${lack.what}`, {
              count: counted(lack.servers),
              missing: missingOf(lack, language.language),
            }) ?? `${lack.what}: ${lack.servers}`}
          </List.Item>
        ))}
      </List>
    </>
  );
}
