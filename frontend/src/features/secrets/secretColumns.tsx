import { Anchor, Group, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import type { SecretData } from '@/api/generated/core.gen';
import { When } from '@/components/format/When';
import { Link } from '@/components/Link';
import type { Column } from '@/components/list/columns';
import { RowAction } from '@/components/list/RowAction';

interface Handlers {
  account: string;
  /** Without the right to change secrets, no buttons are shown. */
  onReplace?: (secret: SecretData) => void;
  onDelete?: (secret: SecretData) => void;
}

/** Columns of a list of secrets. */
export function useSecretColumns({ account, ...handlers }: Handlers): Column<SecretData>[] {
  const { t } = useTranslation('Secrets');
  return [
    {
      name: 'name',
      label: t('name'),
      sortable: true,
      cell: ({ name }) => (
        <Text span inherit ff="monospace" fw={500}>
          {name}
        </Text>
      ),
    },
    { name: 'scope', label: t('scope'), width: 190, cell: ({ modelName }) => modelName ?? t('everyService') },
    { name: 'usedBy', label: t('usedBy'), width: 220, cell: (secret) => <UsedBy secret={secret} account={account} /> },
    { name: 'changed', label: t('changed'), sortable: true, width: 200, cell: (secret) => <Changed secret={secret} /> },
    {
      name: 'actions',
      label: t('actions'),
      width: 84,
      actions: true,
      cell: (secret) => <Actions secret={secret} {...handlers} />,
    },
  ];
}

function UsedBy({ secret, account }: { secret: SecretData; account: string }) {
  const { t } = useTranslation('Secrets');
  if (secret.usedBy.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('unused')}
      </Text>
    );
  return secret.usedBy.map(({ modelId, modelName, variables }, place) => (
    <Fragment key={modelId}>
      {place > 0 && ', '}
      <Anchor
        component={Link}
        inherit
        to={`/workspace/model/${account}/${modelId}/diagnostic`}
        title={variables.join(', ')}
      >
        {modelName}
      </Anchor>
    </Fragment>
  ));
}

function Changed({ secret }: { secret: SecretData }) {
  return (
    <>
      <When at={secret.updatedAt} />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {secret.updatedBy}
      </Text>
    </>
  );
}

function Actions({ secret, onReplace, onDelete }: Omit<Handlers, 'account'> & { secret: SecretData }) {
  const { t } = useTranslation('Secrets');
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {onReplace && (
        <RowAction label={t('replaceOf', { name: secret.name })} Icon={IconPencil} onClick={() => onReplace(secret)} />
      )}
      {onDelete && (
        <RowAction
          label={t('deleteOf', { name: secret.name })}
          Icon={IconTrash}
          danger
          onClick={() => onDelete(secret)}
        />
      )}
    </Group>
  );
}
