import { Anchor, Drawer, Skeleton, Table } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInstanceData } from '@/api/generated/core.gen';
import { Empty } from '@/components/Empty';
import { StateDot } from '@/components/StateDot';
import { formatMoment, fromNow } from '@/lib/format/time';

import { InstanceActions } from './InstanceActions';
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
              <Table.Th aria-label={t('actions', { name: '' })} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {instances.map((instance) => (
              <Table.Tr key={instance.id} onClick={() => setOpened(instance)} style={{ cursor: 'pointer' }}>
                <Table.Td ff="monospace">
                  <Anchor component="button" type="button" ff="monospace" style={{ whiteSpace: 'nowrap' }} onClick={() => setOpened(instance)}>
                    {instance.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StateDot state={instance.statusInfo.totalStatus} />
                </Table.Td>
                <Table.Td>{instance.serverName ?? t(`hosting.${instance.instanceHostingType}`)}</Table.Td>
                <Table.Td ta="right" ff="monospace">
                  {instance.restartCount}
                </Table.Td>
                <Table.Td title={formatMoment(instance.createdTimestamp)}>{fromNow(instance.createdTimestamp, i18n.language)}</Table.Td>
                <Table.Td onClick={(event) => event.stopPropagation()}>
                  <InstanceActions where={{ account, model }} instance={instance} onDetails={() => setOpened(instance)} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} position="right" size="xl" title={opened?.name} closeButtonProps={{ 'aria-label': t('App:close') }}>
        {opened && <InstanceDetails account={account} model={model} instanceId={opened.id} />}
      </Drawer>
    </>
  );
}
