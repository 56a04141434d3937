import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { SecretData } from '@/api/generated/core.gen';
import { formatMoment } from '@/lib/time';

interface Props {
  account: string;
  secrets: SecretData[];
  /** Who may not change them sees no buttons. */
  onReplace?: (secret: SecretData) => void;
  onDelete?: (secret: SecretData) => void;
}

export function SecretTable({ account, secrets, onReplace, onDelete }: Props) {
  const { t } = useTranslation('Secrets');
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {(['name', 'scope', 'usedBy', 'changed'] as const).map((column) => (
              <Table.Th key={column}>{t(column)}</Table.Th>
            ))}
            <Table.Th aria-label={t('actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {secrets.map((secret) => (
            <Table.Tr key={secret.secretId}>
              <Table.Th scope="row" ff="monospace" fw={500} style={{ overflowWrap: 'anywhere' }}>
                {secret.name}
              </Table.Th>
              <Table.Td>{secret.modelName ?? t('everyService')}</Table.Td>
              <Table.Td>
                {secret.usedBy.length === 0 && <Text c="dimmed">{t('unused')}</Text>}
                {secret.usedBy.map(({ modelId, modelName, variables }, place) => (
                  <Fragment key={modelId}>
                    {place > 0 && ', '}
                    <Anchor component={Link} to={`/workspace/model/${account}/${modelId}/diagnostic`} title={variables.join(', ')}>
                      {modelName}
                    </Anchor>
                  </Fragment>
                ))}
              </Table.Td>
              <Table.Td>
                {formatMoment(secret.updatedAt)}
                <Text size="sm" c="dimmed">
                  {secret.updatedBy}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  {onReplace && (
                    <Button size="compact-sm" variant="subtle" onClick={() => onReplace(secret)} aria-label={t('replaceOf', { name: secret.name })}>
                      {t('replace')}
                    </Button>
                  )}
                  {onDelete && (
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => onDelete(secret)} aria-label={t('deleteOf', { name: secret.name })}>
                      {t('App:delete')}
                    </Button>
                  )}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
