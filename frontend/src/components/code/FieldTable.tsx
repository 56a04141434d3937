import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Field } from '@/lib/predict/schema';

import { InlineCode } from './InlineCode';

/** The fields of a request: name, type, whether it is required, and its meaning. */
export function FieldTable({ fields }: { fields: readonly Field[] }) {
  const { t } = useTranslation('Playground');
  return (
    <Table.ScrollContainer minWidth={280}>
      <Table withTableBorder>
        <Table.Tbody>
          {fields.map(({ name, type, required, description }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" ff="monospace" fw={500}>
                {name}
                {required && (
                  <Text span c="red" title={t('required')} aria-label={t('required')}>
                    *
                  </Text>
                )}
              </Table.Th>
              <Table.Td ff="monospace" c="dimmed">
                {type}
              </Table.Td>
              <Table.Td>
                <InlineCode text={description} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
