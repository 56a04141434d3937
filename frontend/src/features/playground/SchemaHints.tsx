import { Button, Group, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { FieldTable } from '@/components/code/FieldTable';
import { exampleOf, nestedFieldsIn, type Schema } from '@/lib/predict/schema';

// With the validator, which visitors do not need at once.
const SchemaFaults = lazy(() => import('./SchemaFaults'));

interface Props {
  schema: Schema;
  /** The current request; undefined while it is not valid JSON. */
  value: unknown;
  onExample: (value: unknown) => void;
}

/** The request's schema and errors, beside the editor. */
export function SchemaHints({ schema, value, onExample }: Props) {
  const { t } = useTranslation('Playground');
  const fields = nestedFieldsIn(schema);
  if (fields.length === 0) return null;
  return (
    <Stack gap="xs">
      <Suspense fallback={null}>{value !== undefined && <SchemaFaults schema={schema} value={value} />}</Suspense>
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
