import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AmountsData, LackData, ServerRoomData } from '@/api/generated/core.gen';
import { StateDot } from '@/components/StateDot';
import { formatNumber } from '@/lib/format/number';
import { cores, mebibytes } from '@/lib/format/resources';

/** What each server of an own group has left, those on which it fits first. */
export function ServerRooms({ servers }: { servers: readonly ServerRoomData[] }) {
  const { t } = useTranslation('Room');
  const sorted = servers.toSorted((one, other) => Number(one.lack !== null) - Number(other.lack !== null));
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('eachServer')}>
      {sorted.map(({ name, free, lack }) => (
        <li key={name}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={500}>
              {name}
            </Text>
            <Verdict lack={lack} />
          </Group>
          <Left free={free} />
        </li>
      ))}
    </Stack>
  );
}

function Left({ free }: { free: AmountsData }) {
  const { t } = useTranslation('Room');
  const parts = [
    t('left.cpu', { amount: cores(free.milliCpu) }),
    t('left.memory', { amount: mebibytes(free.ramMb) }),
    t('left.disk', { amount: mebibytes(free.diskMb) }),
    ...(free.gpu > 0 ? [t('left.gpu', { amount: formatNumber(free.gpu) })] : []),
  ];
  return (
    <Text size="xs" c="dimmed">
      {parts.join(' · ')}
    </Text>
  );
}

function Verdict({ lack }: { lack: LackData | null }) {
  const { t } = useTranslation('Room');
  if (lack === null) return <StateDot state="RUNNING" text={t('fitsHere')} />;
  const { what, missing } = lack;
  const amount =
    what === 'cpu'
      ? cores(missing)
      : what === 'memory' || what === 'disk' || what === 'vram'
        ? mebibytes(missing)
        : formatNumber(missing);
  return <StateDot state="WAITING" text={t(`lack.${what}`, { missing: amount })} />;
}
