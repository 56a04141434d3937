import { Badge, Drawer, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ModelInstanceData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { List, type ListQuery } from '@/components/list/List';
import { StateWithStart } from '@/components/StateWithStart';
import { formatNumber } from '@/lib/format/number';
import { stateWith } from '@/lib/waiting';

import { InstanceActions } from './InstanceActions';
import { InstanceDetails } from './InstanceDetails';
import type { Where } from './where';

interface Props {
  where: Where;
  query: ListQuery & { data?: { instances: ModelInstanceData[] } | undefined };
}

/** The instances of a service; one opens beside the list. */
export function InstanceTable({ where, query }: Props) {
  const { t } = useTranslation('Diagnostics');
  const [opened, setOpened] = useState<ModelInstanceData | null>(null);
  return (
    <>
      <List
        label={t('instances')}
        query={query}
        rows={query.data?.instances}
        columns={useColumns(where, setOpened)}
        rowKey={({ id }) => String(id)}
        rowName={({ name }) => name}
        onOpen={setOpened}
        expected={2}
        empty={{ title: t('none'), hint: t('noneHint') }}
      />
      <Drawer
        opened={opened !== null}
        onClose={() => setOpened(null)}
        position="right"
        size="xl"
        title={opened?.name}
        closeButtonProps={{ 'aria-label': t('App:close') }}
      >
        {opened && <InstanceDetails {...where} instanceId={opened.id} />}
      </Drawer>
    </>
  );
}

/** What an instance is for is said only of those that answer no calls. */
function Name({ name, purpose }: ModelInstanceData) {
  const { t } = useTranslation('Diagnostics');
  return (
    <Group gap="xs" wrap="nowrap">
      <Text span inherit ff="monospace">
        {name}
      </Text>
      {purpose !== 'serve' && (
        <Badge variant="light" color="gray" miw="max-content">
          {t(`purpose.${purpose}`)}
        </Badge>
      )}
    </Group>
  );
}

function useColumns(where: Where, onDetails: (instance: ModelInstanceData) => void): Column<ModelInstanceData>[] {
  const { t } = useTranslation('Diagnostics');
  return [
    { name: 'name', label: t('column.name'), cell: (instance) => <Name {...instance} /> },
    {
      name: 'state',
      label: t('column.state'),
      width: 190,
      cell: ({ statusInfo, waiting, start }) => (
        <StateWithStart state={stateWith(statusInfo.totalStatus, waiting, start)} start={start} />
      ),
    },
    {
      name: 'server',
      label: t('column.server'),
      cell: ({ serverName, instanceHostingType, waiting }) =>
        serverName ?? (waiting ? '–' : t(`hosting.${instanceHostingType}`)),
    },
    {
      name: 'restarts',
      label: t('column.restarts'),
      width: 120,
      numeric: true,
      cell: ({ restartCount }) => formatNumber(restartCount),
    },
    {
      name: 'created',
      label: t('column.created'),
      width: 160,
      cell: ({ createdTimestamp }) => <When at={createdTimestamp} />,
    },
    {
      name: 'actions',
      label: t('column.actions'),
      width: 52,
      actions: true,
      cell: (instance) => <InstanceActions where={where} instance={instance} onDetails={() => onDetails(instance)} />,
    },
  ];
}
