import { SimpleGrid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AmountsData, GroupGpuData } from '@/api/generated/core.gen';
import { formatNumber } from '@/lib/format/number';
import { cores, mebibytes } from '@/lib/format/resources';

interface Props {
  free: AmountsData;
  most: AmountsData;
  /** More than one server, so the sum is more than an instance can get. */
  several: boolean;
}

/** What is left of each resource: the most on one server, and on all of them. */
export function Amounts({ free, most, several }: Props) {
  const { t } = useTranslation('Room');
  const rows = [
    [t('cpu'), cores(most.milliCpu), cores(free.milliCpu)],
    [t('memory'), mebibytes(most.ramMb), mebibytes(free.ramMb)],
    [t('disk'), mebibytes(most.diskMb), mebibytes(free.diskMb)],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} component="dl" m={0} spacing="sm" verticalSpacing="xs">
      {rows.map(([name, one, all]) => (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} ff="monospace">
            {one}
          </Text>
          {several && (
            <Text component="dd" m={0} size="xs" c="dimmed">
              {t('inAll', { amount: all })}
            </Text>
          )}
        </div>
      ))}
    </SimpleGrid>
  );
}

/** The models of GPUs, with what is free of each. */
export function Gpus({ gpus }: { gpus: readonly GroupGpuData[] }) {
  const { t } = useTranslation('Room');
  return gpus.map(({ model, vramMb, count, free: unused, freeVramMb }) => (
    <Text key={`${model}/${vramMb}`} size="sm">
      {t('gpuModel', {
        model,
        memory: mebibytes(vramMb),
        free: formatNumber(unused),
        count: formatNumber(count),
        left: mebibytes(freeVramMb),
      })}
    </Text>
  ));
}
