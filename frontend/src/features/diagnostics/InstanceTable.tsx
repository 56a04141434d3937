import { ActionIcon, Drawer, Menu, Skeleton, Table } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ModelInstanceData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { StateDot } from '@/components/StateDot';
import { toastErrorOnce } from '@/components/Toasts';
import { formatMoment, fromNow } from '@/lib/time';

import { InstanceDetails } from './InstanceDetails';

interface Props {
  account: string;
  model: string;
  instances: ModelInstanceData[] | null;
}

export function InstanceTable({ account, model, instances }: Props) {
  const { t, i18n } = useTranslation('Diagnostics');
  const [opened, setOpened] = useState<ModelInstanceData | null>(null);
  if (instances === null) return <Skeleton h={120} />;
  if (instances.length === 0) return <Empty title={t('none')}>{t('noneHint')}</Empty>;
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('column.name')}</Table.Th>
              <Table.Th>{t('column.state')}</Table.Th>
              <Table.Th>{t('column.server')}</Table.Th>
              <Table.Th ta="right">{t('column.restarts')}</Table.Th>
              <Table.Th>{t('column.created')}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {instances.map((instance) => (
              <Table.Tr key={instance.id} onClick={() => setOpened(instance)} style={{ cursor: 'pointer' }}>
                <Table.Td ff="monospace">{instance.name}</Table.Td>
                <Table.Td>
                  <StateDot state={instance.statusInfo.totalStatus} />
                </Table.Td>
                <Table.Td>{instance.serverName ?? t(`hosting.${instance.instanceHostingType}`)}</Table.Td>
                <Table.Td ta="right" ff="monospace">
                  {instance.restartCount}
                </Table.Td>
                <Table.Td title={formatMoment(instance.createdTimestamp)}>{fromNow(instance.createdTimestamp, i18n.language)}</Table.Td>
                <Table.Td onClick={(event) => event.stopPropagation()}>
                  <Actions account={account} model={model} instance={instance} onDetails={() => setOpened(instance)} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} position="right" size="xl" title={opened?.name}>
        {opened && <InstanceDetails account={account} model={model} instanceId={opened.id} />}
      </Drawer>
    </>
  );
}

function Actions({ account, model, instance, onDetails }: { account: string; model: string; instance: ModelInstanceData; onDetails: () => void }) {
  const { t } = useTranslation('Diagnostics');
  const [stop] = coreApi.useCoreStopInstanceMutation();
  const [forget] = coreApi.useCoreDeleteExternalConnectionMutation();
  const external = instance.instanceHostingType === 'external';
  const end = async () => {
    const which = { account, model, instanceId: instance.id };
    const { error } = external ? await forget(which) : await stop(which);
    if (error) toastErrorOnce(t('failed'), asProblem(error)?.message ?? '');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('actions', { name: instance.name })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onDetails}>{t('details')}</Menu.Item>
        <Menu.Item color="red" onClick={() => void end()}>
          {t(external ? 'forget' : 'stop')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
