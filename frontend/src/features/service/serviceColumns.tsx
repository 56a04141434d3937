import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { Price } from '@/components/Price';
import { StateWithStart } from '@/components/StateWithStart';
import { TaskIcon } from '@/components/TaskIcon';
import { useTaskNames } from '@/lib/useTaskNames';
import { stateOf } from '@/lib/waiting';

import { ServiceMenu } from './ServiceMenu';

/** The list shows that a service was deleted. */
const stay = () => undefined;

/** `account`: whose pages these are; only its services can be changed. */
export function useServiceColumns(account: string): Column<ModelInfoData>[] {
  const { t } = useTranslation('Services');
  return [
    ...useServiceFacts(),
    {
      name: 'actions',
      label: t('actions'),
      width: 52,
      actions: true,
      cell: (model) =>
        String(model.id.accountId) === account && <ServiceMenu account={account} model={model} onDeleted={stay} />,
    },
  ];
}

/** What is told of each service in a list. */
export function useServiceFacts(): Column<ModelInfoData>[] {
  const { t } = useTranslation('Services');
  const names = useTaskNames();
  return [
    {
      name: 'name',
      label: t('name'),
      sortable: true,
      cell: ({ displayName, modelName }) => displayName ?? modelName,
      note: ({ modelAccountName, modelName }) => (
        <Text size="xs" ff="monospace" inherit>
          {modelAccountName}/{modelName}
        </Text>
      ),
    },
    {
      name: 'taskType',
      label: t('taskType'),
      sortable: true,
      width: 190,
      from: 'lg',
      cell: ({ taskType }) => (
        <Group gap={6} wrap="nowrap">
          <TaskIcon taskType={taskType} size={16} />
          {names(taskType)}
        </Group>
      ),
    },
    {
      name: 'state',
      label: t('state'),
      width: 170,
      cell: (model) => <StateWithStart state={stateOf(model)} start={model.start} />,
    },
    { name: 'group', label: t('group'), width: 130, from: 'lg', cell: ({ modelGroupName }) => modelGroupName ?? '–' },
    {
      name: 'publicity',
      label: t('publicity'),
      width: 130,
      cell: ({ publicSettings }) => (
        <Badge variant="default" miw="max-content">
          {t(publicSettings.isPublic ? 'public' : 'private')}
        </Badge>
      ),
    },
    { name: 'price', label: t('price'), width: 150, cell: (model) => <Price model={model} /> },
    {
      name: 'lastActivity',
      label: t('lastActivity'),
      sortable: true,
      width: 140,
      cell: ({ lastActivity }) => <When at={lastActivity} />,
    },
  ];
}
