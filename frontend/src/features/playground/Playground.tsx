import { ActionIcon, Group, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowsMaximize, IconArrowsMinimize } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { inputKind } from '@/lib/taskTypes';

import classes from './Playground.module.css';
import { RequestForm } from './RequestForm';
import type { Tried } from './tried';
import { CurrencyOfCalls } from './useCost';
import { Waking } from './Waking';

const Completion = lazy(() => import('@/features/playground/chat/Completion'));
const Dialogue = lazy(() => import('@/features/playground/chat/Dialogue'));

/** Try a service with a form for its task type, or with JSON. */
export function Playground(tried: Tried) {
  const { t } = useTranslation('Playground');
  const kind = inputKind(tried.taskType);
  const talks = kind === 'completion' || kind === 'dialogue';
  const [raw, setRaw] = useState(false);
  const [full, setFull] = useState(false);
  useHotkeys([['Escape', () => setFull(false)]], []);
  const corner = (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t(full ? 'smaller' : 'fullScreen')}
      title={t(full ? 'smaller' : 'fullScreen')}
      aria-pressed={full}
      onClick={() => setFull(!full)}
    >
      {full ? <IconArrowsMinimize size={18} aria-hidden /> : <IconArrowsMaximize size={18} aria-hidden />}
    </ActionIcon>
  );
  return (
    <CurrencyOfCalls value={tried.currency}>
      <Stack gap="sm" className={classes.playground} data-full={full || undefined}>
        {talks && (
          <Group justify="space-between">
            <SegmentedControl
              size="xs"
              aria-label={t('view')}
              value={raw ? 'raw' : 'talk'}
              onChange={(value) => setRaw(value === 'raw')}
              data={[
                { value: 'talk', label: t('talk') },
                { value: 'raw', label: 'JSON' },
              ]}
            />
            {!raw && corner}
          </Group>
        )}
        {talks && !raw ? (
          <Suspense fallback={<Skeleton h={420} />}>{talking(kind, tried)}</Suspense>
        ) : (
          <RequestForm tried={tried} corner={corner} />
        )}
      </Stack>
    </CurrencyOfCalls>
  );
}

function talking(kind: 'completion' | 'dialogue', tried: Tried): ReactNode {
  const props = { account: tried.account, model: tried.model, waking: tried.runs ? null : <Waking {...tried} /> };
  return kind === 'completion' ? <Completion {...props} /> : <Dialogue {...props} />;
}
