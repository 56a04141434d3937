import { Badge, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { ModelInfoData } from '@/api/generated/core.gen';
import { Price } from '@/components/Price';
import { StateDot } from '@/components/StateDot';
import { TaskIcon } from '@/components/TaskIcon';
import { formatMoment, fromNow } from '@/lib/format/time';
import { useTaskNames } from '@/lib/useTaskNames';

import { ServiceMenu } from './ServiceMenu';
import { nextSort } from './useServiceFilters';

/** The list shows that a service was deleted. */
const stay = () => undefined;

interface Props {
  models: readonly ModelInfoData[];
  sort: string;
  onSort: (sort: string) => void;
  /** The account whose pages these are; its services can be changed. */
  account: string;
}

export function ServiceTable({ models, sort, onSort, account }: Props) {
  const { t, i18n } = useTranslation('Services');
  const names = useTaskNames();
  const header = (field: string, label: string) => (
    <Table.Th aria-sort={sort.startsWith(`${field},`) ? (sort.endsWith('asc') ? 'ascending' : 'descending') : undefined}>
      <UnstyledButton fw={600} fz="sm" onClick={() => onSort(nextSort(sort, field))}>
        <Group gap={4} wrap="nowrap">
          {label}
          {sort === `${field},asc` && <IconChevronUp size={14} aria-hidden />}
          {sort === `${field},desc` && <IconChevronDown size={14} aria-hidden />}
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table stickyHeader highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {header('name', t('name'))}
            {header('taskType', t('taskType'))}
            <Table.Th>{t('state')}</Table.Th>
            <Table.Th>{t('group')}</Table.Th>
            <Table.Th>{t('publicity')}</Table.Th>
            <Table.Th>{t('price')}</Table.Th>
            {header('lastActivity', t('lastActivity'))}
            <Table.Th w={48} aria-label={t('actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map((model) => (
            <Table.Tr key={`${model.id.accountId}/${model.id.modelId}`}>
              <Table.Td maw={280}>
                <Text component={Link} to={`/workspace/model/${model.id.accountId}/${model.id.modelId}`} fw={500} c="inherit" truncate display="block" title={model.displayName ?? model.modelName}>
                  {model.displayName ?? model.modelName}
                </Text>
                <Text size="xs" c="dimmed" ff="monospace" truncate>
                  {model.modelAccountName}/{model.modelName}
                </Text>
              </Table.Td>
              <Table.Td>
                <Group gap={6} wrap="nowrap">
                  <TaskIcon taskType={model.taskType} size={16} />
                  {names(model.taskType)}
                </Group>
              </Table.Td>
              <Table.Td>
                <StateDot state={model.state} />
              </Table.Td>
              <Table.Td maw={160}>
                <Text truncate size="sm" title={model.modelGroupName ?? undefined}>
                  {model.modelGroupName ?? '—'}
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge variant="default" tt="none" fw={500} miw="max-content">
                  {t(model.publicSettings.isPublic ? 'public' : 'private')}
                </Badge>
              </Table.Td>
              <Table.Td>
                <Price model={model} />
              </Table.Td>
              <Table.Td title={model.lastActivity ? formatMoment(model.lastActivity) : undefined}>{model.lastActivity ? fromNow(model.lastActivity, i18n.language) : '—'}</Table.Td>
              <Table.Td>{String(model.id.accountId) === account && <ServiceMenu account={account} model={model} onDeleted={stay} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
