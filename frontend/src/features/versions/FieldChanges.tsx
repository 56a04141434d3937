import { Code, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { FieldChange } from '@/api/generated/core.gen';
import { formatNumber } from '@/lib/format/number';

import { useFieldName, useShownValue } from './words';

/** Longer values are folded. */
const LONG = 80;

/** Each field from what to what. Of a hidden value only that it changed. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  return changes.map((change) => (
    <Text key={change.field} component="div" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      <Changed change={change} />
    </Text>
  ));
}

function Changed({ change }: { change: FieldChange }) {
  const { t } = useTranslation('Versions');
  const nameOf = useFieldName();
  const shown = useShownValue();
  const name = nameOf(change.field);
  if (change.hidden) return `${name}: ${t('hidden')}`;
  const [before, after] = [shown(change.field, change.before), shown(change.field, change.after)];
  if (before.length <= LONG && after.length <= LONG) return `${name}: ${before} → ${after}`;
  return (
    <details>
      <summary style={{ cursor: 'pointer' }}>{`${name}: ${t('changed')}`}</summary>
      <Side label={t('before')} value={before} length={change.beforeLength} />
      <Side label={t('after')} value={after} length={change.afterLength} />
    </details>
  );
}

/** `length`: of the whole value, if this is only its beginning. */
function Side({ label, value, length }: { label: string; value: string; length: number | null }) {
  const { t, i18n } = useTranslation('Versions');
  return (
    <>
      <Text size="xs" mt={4}>
        {length === null ? label : t('begins', { side: label, shown: formatNumber(length, i18n.language) })}
      </Text>
      <Code block>{length === null ? value : `${value}…`}</Code>
    </>
  );
}
