import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/Json';

import { type Call, rendered } from './rendered';
import { shortened } from './shortened';

/** The answer as what it is; raw JSON is one click away. */
export function Output(call: Call) {
  const { t } = useTranslation('Playground');
  const [raw, setRaw] = useState(false);
  const shown = rendered(call, t);
  return (
    <Stack gap="sm">
      {shown && (
        <Group justify="flex-end">
          <SegmentedControl
            size="xs"
            aria-label={t('view')}
            value={raw ? 'raw' : 'rendered'}
            onChange={(value) => setRaw(value === 'raw')}
            data={[
              { value: 'rendered', label: t('rendered') },
              { value: 'raw', label: 'JSON' },
            ]}
          />
        </Group>
      )}
      {shown && !raw ? shown : <Json value={JSON.stringify(shortened(call.answer), null, 2) ?? 'null'} label={t('output')} />}
    </Stack>
  );
}
