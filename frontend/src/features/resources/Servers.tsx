import { ActionIcon, Button, Card, Group, Modal, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ResourceGroupServerDataWithStatus } from '@/api/generated/core.gen';
import { Confirm } from '@/components/Confirm';
import { Empty } from '@/components/Empty';
import { ProblemView } from '@/components/feedback/ProblemView';
import { StateDot } from '@/components/StateDot';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { formatMoment } from '@/lib/format/time';

import { AddServer } from './AddServer';

const POLL_MS = 5000;

interface Props {
  account: string;
  groupName: string;
}

/** The servers of a group, with their state. */
export function Servers(where: Props) {
  const { t } = useTranslation('Resources');
  const { data, error, refetch } = coreApi.useCoreGetServersStatusQuery(where, { pollingInterval: POLL_MS, skipPollingIfUnfocused: true });
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
  return (
    <Stack>
      <Group justify="flex-end">
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {t('addServer')}
        </Button>
      </Group>
      {!data && <Skeleton h={160} />}
      {data?.length === 0 && <Empty title={t('noServers')}>{t('noServersHint')}</Empty>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data?.map((server) => (
          <Server key={server.id} server={server} onDelete={() => setDoomed(server)} />
        ))}
      </SimpleGrid>
      <Modal opened={adding} onClose={() => setAdding(false)} size="lg" title={t('addServer')} closeButtonProps={{ 'aria-label': t('App:close') }} closeOnClickOutside={false}>
        <AddServer {...where} onDone={() => setAdding(false)} />
      </Modal>
      <Confirm opened={doomed !== null} onClose={() => setDoomed(null)} title={t('deleteServer', { name: doomed?.name ?? '' })} action={t('App:delete')} onConfirm={end}>
        {t('deleteServerHint')}
      </Confirm>
    </Stack>
  );
}

function Server({ server, onDelete }: { server: ResourceGroupServerDataWithStatus; onDelete: () => void }) {
  const { t } = useTranslation('Resources');
  const { cpu, memory, disk, gpuModels } = server.resources;
  const facts: [string, string][] = [
    ['CPU', cpu], [t('memory'), memory], [t('disk'), disk], ['GPU', gpuModels.join(', ')], ['IP', server.serverIp ?? ''],
    [t('expires'), server.expiresAt ? formatMoment(server.expiresAt) : ''],
  ];
  return (
    <Card>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600} truncate title={server.name}>
            {server.name}
          </Text>
          <ActionIcon variant="subtle" color="gray" aria-label={t('deleteOf', { name: server.name })} onClick={onDelete}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <StateDot state={server.status} />
        {server.description && <Text size="sm">{server.description}</Text>}
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
