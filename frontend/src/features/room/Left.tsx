import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { PlacementPreviewData } from '@/api/generated/core.gen';
import { formatNumber } from '@/lib/format/number';
import { cores, mebibytes } from '@/lib/format/resources';

import { type RoomQuestion, useRoom } from './useRoom';

export type Need = 'cpu' | 'memory' | 'disk' | 'gpu' | 'vram';

/** What is left of one resource: the most that one instance can get, and the sum over all servers. */
export function Left({ need, ...question }: RoomQuestion & { need: Need }) {
  const { t } = useTranslation('Room');
  const { data, error } = useRoom(question);
  if (error || !data?.group || data.servers === 0) return null;
  const { one, all } = amountsOf(data, need);
  return (
    <Text size="xs" c="dimmed" component="span">
      {one === all ? t('beside.one', { one }) : t(need === 'vram' ? 'beside.ofGpus' : 'beside.ofServers', { one, all })}
    </Text>
  );
}

function amountsOf({ most, free, gpus }: PlacementPreviewData, need: Need): { one: string; all: string } {
  switch (need) {
    case 'cpu':
      return { one: cores(most.milliCpu), all: cores(free.milliCpu) };
    case 'memory':
      return { one: mebibytes(most.ramMb), all: mebibytes(free.ramMb) };
    case 'disk':
      return { one: mebibytes(most.diskMb), all: mebibytes(free.diskMb) };
    case 'gpu':
      return { one: formatNumber(most.gpu), all: formatNumber(free.gpu) };
    case 'vram':
      return { one: mebibytes(Math.max(0, ...gpus.map(({ freeVramMb }) => freeVramMb))), all: mebibytes(free.vramMb) };
  }
}
