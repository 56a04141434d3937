import { Card, Code, Group, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { Actions, Expires, type KeyHandlers, Limits, Permissions } from './keyParts';

interface Props extends KeyHandlers {
  keys: readonly AccessTokenData[];
  now: number;
}

/** The table's rows as cards, for narrow screens. */
export function KeyCards({ keys, now, ...handlers }: Props) {
  const { t } = useTranslation('Keys');
  return (
    <SimpleGrid cols={1} spacing="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {keys.map((key) => (
        <Card key={key.token} component="li" padding="md">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {key.name}
          </Text>
          <Code mt={4} style={{ overflowWrap: 'anywhere' }}>
            {key.token}
          </Code>
          <Fact name={t('permissions')}>
            <Permissions data={key} />
          </Fact>
          <Fact name={t('services')}>{key.allowedServices ? key.allowedServices.length : t('allServices')}</Fact>
          <Fact name={t('limits')}>
            <Limits data={key} />
          </Fact>
          <Fact name={t('expires')}>
            <Expires expiresAt={key.expiresAt} now={now} />
          </Fact>
          <Actions data={key} {...handlers} />
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
      <Text size="sm" component="div" ta="right">
        {children}
      </Text>
    </Group>
  );
}
