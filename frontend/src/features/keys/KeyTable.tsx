import { Code, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { AccessTokenData } from '@/api/generated/core.gen';

import { Actions, Expires, type KeyHandlers, Limits, Permissions } from './keyParts';

interface Props extends KeyHandlers {
  keys: readonly AccessTokenData[];
  now: number;
}

export function KeyTable({ keys, now, ...handlers }: Props) {
  const { t } = useTranslation('Keys');
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('name')}</Table.Th>
            <Table.Th>{t('key')}</Table.Th>
            <Table.Th>{t('permissions')}</Table.Th>
            <Table.Th>{t('services')}</Table.Th>
            <Table.Th>{t('limits')}</Table.Th>
            <Table.Th>{t('expires')}</Table.Th>
            <Table.Th aria-label={t('actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.token}>
              <Table.Td fw={500} maw={220} style={{ overflowWrap: 'anywhere' }}>
                {key.name}
              </Table.Td>
              <Table.Td>
                <Code>{key.token}</Code>
              </Table.Td>
              <Table.Td>
                <Permissions data={key} />
              </Table.Td>
              <Table.Td>{key.allowedServices ? key.allowedServices.length : t('allServices')}</Table.Td>
              <Table.Td>
                <Limits data={key} />
              </Table.Td>
              <Table.Td>
                <Expires expiresAt={key.expiresAt} now={now} />
              </Table.Td>
              <Table.Td>
                <Actions data={key} {...handlers} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
