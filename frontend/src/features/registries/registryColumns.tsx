import { Group, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { RegistryCredentialData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import type { Column } from '@/components/list/columns';
import { RowAction } from '@/components/list/RowAction';

interface Handlers {
  onReplace: (credential: RegistryCredentialData) => void;
  onDelete: (credential: RegistryCredentialData) => void;
}

/** Columns of a list of credentials. */
export function useRegistryColumns(handlers: Handlers): Column<RegistryCredentialData>[] {
  const { t } = useTranslation('Registries');
  return [
    {
      name: 'host',
      label: t('host'),
      sortable: true,
      cell: ({ host }) => (
        <Text span inherit ff="monospace" fw={500}>
          {host}
        </Text>
      ),
    },
    { name: 'username', label: t('username'), width: 220, cell: ({ username }) => username },
    {
      name: 'changed',
      label: t('changed'),
      sortable: true,
      width: 200,
      cell: (credential) => <Changed credential={credential} />,
    },
    {
      name: 'actions',
      label: t('actions'),
      width: 84,
      actions: true,
      cell: (credential) => <Actions credential={credential} {...handlers} />,
    },
  ];
}

function Changed({ credential }: { credential: RegistryCredentialData }) {
  return (
    <>
      <When at={credential.updatedAt} />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {credential.updatedBy}
      </Text>
    </>
  );
}

function Actions({ credential, onReplace, onDelete }: Handlers & { credential: RegistryCredentialData }) {
  const { t } = useTranslation('Registries');
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowAction
        label={t('replaceOf', { name: credential.host })}
        Icon={IconPencil}
        onClick={() => onReplace(credential)}
      />
      <RowAction
        label={t('deleteOf', { name: credential.host })}
        Icon={IconTrash}
        danger
        onClick={() => onDelete(credential)}
      />
    </Group>
  );
}
