import { SegmentedControl, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Json } from '@/components/code/Json';

import { type Call, rendered } from './rendered';
import { shortened } from './shortened';

interface Props {
  call: Call;
  /** The line above the answer, which includes the choice of its views. */
  head: (choice: ReactNode) => ReactNode;
}

/** The answer in a view for its task type; raw JSON is one click away. */
export function Output({ call, head }: Props) {
  const { t } = useTranslation('Playground');
  const [raw, setRaw] = useState(false);
  const shown = rendered(call, t);
  return (
    <Stack gap="sm">
      {head(
        shown && (
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
        ),
      )}
      {shown && !raw ? (
        shown
      ) : (
        <Json value={JSON.stringify(shortened(call.answer), null, 2) ?? 'null'} label={t('output')} />
      )}
    </Stack>
  );
}
