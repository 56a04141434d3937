import { ActionIcon, Button, Card, Code, Group, Modal, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ResourceGroupServerDataWithStatus, ServerStatus, ServerUseData } from '@/api/generated/core.gen';
import { UtilisationLegend } from '@/components/charts/UtilisationBar';
import { Copy } from '@/components/code/Copy';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { StateDot } from '@/components/StateDot';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { formatNumber } from '@/lib/format/number';
import { formatMoment } from '@/lib/format/time';

import { AddServer } from './AddServer';
import { AGENT_COMMAND } from './configuration';
import { GpuBars } from './GpuBars';
import { Utilisation } from './Utilisation';

/** So many images are named on the card of a server that runs no containers. */
const MOST_NAMED = 3;
const POLL_MS = 5000;
const POLL = { pollingInterval: POLL_MS, skipPollingIfUnfocused: true };

interface Props {
  account: string;
  groupName: string;
}

/** The servers of a group: their state, what they have, and what instances hold of it. */
export function Servers(where: Props) {
  const { t } = useTranslation('Resources');
  const { data, error, refetch } = coreApi.useCoreGetServersStatusQuery(where, POLL);
  const capacity = coreApi.useCoreGetResourceGroupCapacityQuery(where, POLL);
  const [adding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<ResourceGroupServerDataWithStatus | null>(null);
  const [remove] = coreApi.useCoreDeleteServerMutation();
  const refused = useProblemToast();
  const problem = asProblem(error);
  const end = async () => {
    if (!doomed) return;
    const result = await remove({ ...where, serverId: doomed.id });
    refused(t('failed'), result.error);
    setDoomed(null);
  };
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  // What they use is part of their cards: without it they would grow later, and the button would move.
  if (!data || (!capacity.data && !capacity.error)) return <Skeleton h={420} />;
  const use = new Map(capacity.data?.servers.map((server) => [server.serverId, server]));
  const measured = data.some(({ id, status }) => status !== 'STARTING' && use.has(id));
  const running = capacity.data && capacity.data.nodes.length > 1 ? capacity.data : null;
  return (
    <Stack>
      <Group justify={measured ? 'space-between' : 'flex-end'}>
        {measured && <UtilisationLegend measured />}
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {t('addServer')}
        </Button>
      </Group>
      {running && (
        <Card component="section" aria-label={t('wholeGroup')}>
          <Stack gap="xs">
            <Text fw={600}>{t('wholeGroup')}</Text>
            <Utilisation
              capacity={running}
              allocated={running.allocated}
              used={running.used}
              free={running.free}
              columns={3}
            />
          </Stack>
        </Card>
      )}
      {data.length === 0 && <Empty title={t('noServers')}>{t('noServersHint')}</Empty>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data.map((server) => (
          <Server key={server.id} server={server} use={use.get(server.id)} onDelete={() => setDoomed(server)} />
        ))}
      </SimpleGrid>
      <Modal
        opened={adding}
        onClose={() => setAdding(false)}
        size="lg"
        title={t('addServer')}
        closeButtonProps={{ 'aria-label': t('App:close') }}
        closeOnClickOutside={false}
      >
        <AddServer {...where} onDone={() => setAdding(false)} />
      </Modal>
      <Confirm
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={t('deleteServer', { name: doomed?.name ?? '' })}
        action={t('App:delete')}
        onConfirm={end}
      >
        {t('deleteServerHint')}
      </Confirm>
    </Stack>
  );
}

function Server({
  server,
  use,
  onDelete,
}: {
  server: ResourceGroupServerDataWithStatus;
  use: ServerUseData | undefined;
  onDelete: () => void;
}) {
  const { t } = useTranslation('Resources');
  const instances =
    use &&
    (use.maxInstances === null ? String(use.instances) : t('ofMost', { count: use.instances, most: use.maxInstances }));
  const facts: [string, string][] = [
    [t('instances'), instances ?? ''],
    [t('images'), use && server.status !== 'STARTING' ? imagesOf(use, t) : ''],
    ['GPU', [...new Set(server.resources.gpuModels)].join(', ')],
    ['IP', server.serverIp ?? ''],
    [t('expires'), server.expiresAt ? formatMoment(server.expiresAt) : ''],
  ];
  return (
    <Card component="article" aria-label={server.name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600} miw={0} style={{ overflowWrap: 'anywhere' }}>
            {server.name}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('deleteOf', { name: server.name })}
            onClick={onDelete}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <Status status={server.status} />
        {server.description && <Text size="sm">{server.description}</Text>}
        {server.status === 'STARTING' && (
          <>
            <Text size="sm" c="dimmed">
              {t('agentHint')}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere' }}>{AGENT_COMMAND}</Code>
              <Copy value={AGENT_COMMAND} />
            </Group>
          </>
        )}
        {use && server.status !== 'STARTING' && (
          <>
            <Utilisation capacity={use.capacity} allocated={use.allocated} used={use.used} free={use.free} />
            <GpuBars gpus={use.gpus} />
          </>
        )}
        <Stack gap={2} component="dl" m={0}>
          {facts
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <Group key={name} justify="space-between" wrap="nowrap">
                <Text component="dt" size="sm" c="dimmed">
                  {name}
                </Text>
                <Text component="dd" size="sm" ff="monospace" m={0}>
                  {value}
                </Text>
              </Group>
            ))}
        </Stack>
      </Stack>
    </Card>
  );
}

/** Which images the server can run: any in containers, or those for which it has a program. */
function imagesOf({ runsContainers, programs }: ServerUseData, t: TFunction<'Resources'>): string {
  if (runsContainers) return t('anyImage');
  const others = programs.length - MOST_NAMED;
  const named = programs.slice(0, MOST_NAMED).join(', ');
  return others > 0 ? t('andOthers', { named, others: formatNumber(others) }) : named || t('noImage');
}

/** A server exists from when it is added; its agent connects later, and may stop to report. */
function Status({ status }: { status: ServerStatus }) {
  const { t } = useTranslation('Resources');
  if (status === 'STARTING') return <StateDot state="WAITING" text={t('agentAwaited')} />;
  return status === 'UNAVAILABLE' ? <StateDot state="FAILED" text={t('silent')} /> : <StateDot state={status} />;
}
