import { Anchor, Button, Card, Group, SimpleGrid, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { SecretData } from '@/api/generated/core.gen';
import { formatMoment, fromNow } from '@/lib/format/time';

interface Handlers {
  account: string;
  /** Without the right to change secrets, no buttons are shown. */
  onReplace?: (secret: SecretData) => void;
  onDelete?: (secret: SecretData) => void;
}

interface Props extends Handlers {
  secrets: SecretData[];
}

export function SecretTable({ secrets, ...handlers }: Props) {
  const { t } = useTranslation('Secrets');
  const narrow = useMediaQuery('(max-width: 768px)', false, { getInitialValueInEffect: false });
  if (narrow) return <Cards secrets={secrets} {...handlers} />;
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
              <Table.Th scope="row" ff="monospace" fw={500} miw={160} style={{ overflowWrap: 'anywhere' }}>
                {secret.name}
              </Table.Th>
              <Table.Td>{secret.modelName ?? t('everyService')}</Table.Td>
              <Table.Td>
                <UsedBy secret={secret} account={handlers.account} />
              </Table.Td>
              <Table.Td>
                <Changed secret={secret} />
              </Table.Td>
              <Table.Td ta="right">
                <Actions secret={secret} {...handlers} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The table's rows as cards, for narrow screens. */
function Cards({ secrets, ...handlers }: Props) {
  const { t } = useTranslation('Secrets');
  return (
    <SimpleGrid cols={1} spacing="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {secrets.map((secret) => (
        <Card key={secret.secretId} component="li" padding="md">
          <Text ff="monospace" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {secret.name}
          </Text>
          <Fact name={t('scope')}>{secret.modelName ?? t('everyService')}</Fact>
          <Fact name={t('usedBy')}>
            <UsedBy secret={secret} account={handlers.account} />
          </Fact>
          <Fact name={t('changed')}>
            <Changed secret={secret} />
          </Fact>
          <Actions secret={secret} {...handlers} />
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" mt="xs" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div" ta="right" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}

function UsedBy({ secret, account }: { secret: SecretData; account: string }) {
  const { t } = useTranslation('Secrets');
  if (secret.usedBy.length === 0) return <Text size="sm" c="dimmed">{t('unused')}</Text>;
  return secret.usedBy.map(({ modelId, modelName, variables }, place) => (
    <Fragment key={modelId}>
      {place > 0 && ', '}
      <Anchor component={Link} inherit to={`/workspace/model/${account}/${modelId}/diagnostic`} title={variables.join(', ')}>
        {modelName}
      </Anchor>
    </Fragment>
  ));
}

function Changed({ secret }: { secret: SecretData }) {
  const { i18n } = useTranslation();
  return (
    <>
      <span title={formatMoment(secret.updatedAt)}>{fromNow(secret.updatedAt, i18n.language)}</span>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
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
  );
}
