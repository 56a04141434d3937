import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { checkOf, type Fault } from '@/lib/predict/faults';
import type { Schema } from '@/lib/predict/schema';

/** The errors that the service would report for the request. Loaded with the validator. */
export default function SchemaFaults({ schema, value }: { schema: Schema; value: unknown }) {
  const { t } = useTranslation('Playground');
  const check = useMemo(() => checkOf(schema), [schema]);
  const faults = check(value);
  const told = (fault: Fault) =>
    t(`fault.${fault.kind}`, { name: fault.name, type: fault.kind === 'type' ? fault.type : '' });
  if (faults.length === 0) return null;
  return (
    <Text size="sm" c="light-dark(#a35200, #fcc419)" component="output">
      {faults.map(told).join('; ')}
    </Text>
  );
}
