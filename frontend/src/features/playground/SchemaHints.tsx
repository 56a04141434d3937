import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { FieldTable } from '@/components/code/FieldTable';
import { exampleOf, type Fault, faultsOf, fieldsIn, type Schema } from '@/lib/predict/schema';

interface Props {
  schema: Schema;
  /** The current request; undefined while it is not valid JSON. */
  value: unknown;
  onExample: (value: unknown) => void;
}

/** The request's schema and errors, beside the editor. */
export function SchemaHints({ schema, value, onExample }: Props) {
  const { t } = useTranslation('Playground');
  const fields = fieldsIn(schema);
  if (fields.length === 0) return null;
  const faults = value === undefined ? [] : faultsOf(schema, value);
  const told = (fault: Fault) => t(`fault.${fault.kind}`, { name: fault.name, type: fault.kind === 'type' ? fault.type : '' });
  return (
    <Stack gap="xs">
      {faults.length > 0 && (
        <Text size="sm" c="light-dark(#a35200, #fcc419)" component="output">
          {faults.map(told).join('; ')}
        </Text>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('expected')}
        </Text>
        <Button size="compact-xs" variant="default" fw={400} onClick={() => onExample(exampleOf(schema))}>
          {t('fillIn')}
        </Button>
      </Group>
      <FieldTable fields={fields} />
    </Stack>
  );
}
