import { Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/api';
import type { PlacementPreviewData } from '@/api/generated/core.gen';
import { Lacking } from '@/components/feedback/Lacking';
import { LimitReached } from '@/components/feedback/LimitReached';
import { ProblemSummary } from '@/components/feedback/ProblemSummary';
import { StateDot } from '@/components/StateDot';
import { formatNumber } from '@/lib/format/number';

import { Amounts, Gpus } from './Amounts';
import { ServerRooms } from './ServerRooms';
import { type RoomQuestion, useRoom } from './useRoom';

/** The server counts no further. */
const MOST_COUNTED = 100;

interface Props extends RoomQuestion {
  /** The amounts stand elsewhere: beside the needs. */
  withoutAmounts?: boolean;
}

/** What the group has left now, and whether an instance with these needs fits. */
export function RoomPanel({ withoutAmounts = false, ...question }: Props) {
  const { t } = useTranslation('Room');
  const { data, currentData, error } = useRoom(question);
  const problem = asProblem(error);
  // Who may not see servers, or typed what the server refuses, gets the field's own message when it is saved.
  if (problem && problem.status !== 404) return null;
  return (
    <Card component="section" aria-label={t('title')} mt="md" aria-busy={!currentData || undefined}>
      {problem && <ProblemSummary problem={problem} />}
      {!problem && !data && <Skeleton h={96} />}
      {!problem && data && <Room data={data} withoutAmounts={withoutAmounts} />}
    </Card>
  );
}

function Room({ data, withoutAmounts }: { data: PlacementPreviewData; withoutAmounts: boolean }) {
  const { t } = useTranslation('Room');
  const { group, servers, fitting, instances, limit, lacking, eachServer, gpus } = data;
  if (!group) return <Text size="sm">{t('noGroup')}</Text>;
  const more =
    instances >= MOST_COUNTED ? t('manyMore') : t('more', { count: instances, shown: formatNumber(instances) });
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{t('inGroup', { name: group.name })}</Text>
        <StateDot
          state={fitting > 0 && !limit ? 'RUNNING' : 'WAITING'}
          text={
            servers === 0
              ? t('noServers')
              : t('fits', { count: servers, fitting: formatNumber(fitting), servers: formatNumber(servers) })
          }
        />
      </Group>
      {fitting > 0 && <Text size="sm">{more}</Text>}
      {limit && <LimitReached limit={limit} />}
      {servers > 0 && (
        <>
          {!withoutAmounts && <Amounts free={data.free} most={data.most} several={servers > 1} />}
          <Gpus gpus={gpus} />
        </>
      )}
      {eachServer.length > 1 ? (
        <ServerRooms servers={eachServer} />
      ) : (
        lacking.length > 0 && <Lacking servers={servers} lacking={lacking} />
      )}
    </Stack>
  );
}
