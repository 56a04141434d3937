import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { IconHourglassHigh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ModelInfoData, ModelShortStatusData } from '@/api/generated/core.gen';
import { WaitingReason } from '@/components/feedback/WaitingReason';
import { Link } from '@/components/Link';

const SOON_MS = 3000;

interface Props {
  account: string;
  model: ModelInfoData;
  pollMs?: number;
  /** What the page knew before it was shown. */
  known?: ModelShortStatusData | undefined;
}

/** Why the instance that has waited longest has no server, and where that can be changed; nothing if none waits. */
export function WaitsForServer({ account, model, pollMs = SOON_MS, known }: Props) {
  const { t } = useTranslation('Diagnostics');
  const { data = known } = coreApi.useCoreGetModelStatusQuery(
    { account, model: model.modelName },
    { pollingInterval: pollMs, skipPollingIfUnfocused: true },
  );
  if (!data?.waiting) return null;
  return (
    <Alert color="yellow" icon={<IconHourglassHigh aria-hidden />} title={t('waitsForServer')}>
      <Stack gap="xs">
        <WaitingReason waiting={data.waiting} />
        <RoomLinks account={account} model={model} limited={Boolean(data.waiting.details?.limit)} />
      </Stack>
    </Alert>
  );
}

/** The pages where an owner gets room: the account's limits, or its own group; and what the service asks for. */
function RoomLinks({ account, model, limited }: { account: string; model: ModelInfoData; limited: boolean }) {
  const { t } = useTranslation('Diagnostics');
  const { data: groups } = coreApi.useCoreGetDeployableResourceGroupsQuery({ account });
  const group = groups?.find(
    ({ name, ownerId, isDefault }) =>
      String(ownerId) === account && (model.resourceGroup === null ? isDefault : name === model.resourceGroup),
  );
  return (
    <Group gap="4px 16px">
      {limited && (
        <Anchor component={Link} size="sm" to="/workspace/account-info/limits">
          {t('toLimits')}
        </Anchor>
      )}
      {/* Its line stays also if there is no link: what stands below would move up. */}
      {!group && !limited && (
        <Text span size="sm" aria-hidden style={{ visibility: 'hidden' }}>
          {t('toGroup', { name: model.resourceGroup ?? '' })}
        </Text>
      )}
      {group && !limited && (
        <Anchor
          component={Link}
          size="sm"
          to={`/workspace/resource-group/${account}/${encodeURIComponent(group.name)}`}
        >
          {t('toGroup', { name: group.name })}
        </Anchor>
      )}
      <Anchor
        component={Link}
        size="sm"
        to={`/workspace/model/${model.id.accountId}/${model.id.modelId}/settings/hosting`}
      >
        {t('toHosting')}
      </Anchor>
    </Group>
  );
}
