import { Group, Text } from '@mantine/core';
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { ServerTemplateData } from '@/api/generated/core.gen';
import type { Column } from '@/components/list/columns';
import { RowAction } from '@/components/list/RowAction';

import { TemplatePrice, useCapacityText } from './TemplateFacts';

interface Handlers {
  onCopy: (template: ServerTemplateData) => void;
  /** Without it the templates are those of others. */
  onEdit?: (template: ServerTemplateData) => void;
  onDelete?: (template: ServerTemplateData) => void;
}

/** Columns of a list of templates. */
export function useTemplateColumns(handlers: Handlers): Column<ServerTemplateData>[] {
  const { t } = useTranslation('Templates');
  const capacity = useCapacityText();
  return [
    { name: 'name', label: t('name'), sortable: true, cell: (template) => <Named template={template} /> },
    { name: 'capacity', label: t('capacity'), cell: capacity },
    { name: 'price', label: t('price'), width: 220, cell: (template) => <TemplatePrice template={template} /> },
    {
      name: 'actions',
      label: t('actions'),
      width: handlers.onEdit ? 124 : 60,
      actions: true,
      cell: (template) => <Actions template={template} {...handlers} />,
    },
  ];
}

function Named({ template: { name, description } }: { template: ServerTemplateData }) {
  return (
    <>
      <Text span inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      {description && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      )}
    </>
  );
}

function Actions({ template, onCopy, onEdit, onDelete }: Handlers & { template: ServerTemplateData }) {
  const { t } = useTranslation('Templates');
  const { name } = template;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {onEdit && <RowAction label={t('editOf', { name })} Icon={IconPencil} onClick={() => onEdit(template)} />}
      <RowAction label={t('copyOf', { name })} Icon={IconCopy} onClick={() => onCopy(template)} />
      {onDelete && (
        <RowAction label={t('deleteOf', { name })} Icon={IconTrash} danger onClick={() => onDelete(template)} />
      )}
    </Group>
  );
}
