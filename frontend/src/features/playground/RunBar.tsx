import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPower } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { toastDone } from '@/components/feedback/Toasts';
import { useProblemToast } from '@/components/feedback/useProblemToast';
import { useStartText } from '@/lib/useStartText';

import type { Tried } from './tried';

interface Props {
  tried: Tried;
  running: boolean;
  ready: boolean;
  /** What is missing before a call makes sense; null if nothing. */
  lacks: string | null;
  onRun: () => void;
  onStop: () => void;
}

/** The button that calls the service, and what people should know before they press it. */
export function RunBar({ tried, running, ready, lacks, onRun, onStop }: Props) {
  const { t } = useTranslation('Playground');
  const startText = useStartText();
  return (
    <Stack gap="xs">
      <Group>
        {running ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
            {t('stop')}
          </Button>
        ) : (
          <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} disabled={!ready} onClick={onRun}>
            {t(tried.startable ? 'wakeAndRun' : 'run')}
          </Button>
        )}
        {tried.startable && <Start tried={tried} />}
        <Text size="sm" c="dimmed" visibleFrom="sm">
          Ctrl ⏎
        </Text>
      </Group>
      {lacks && (
        <Text size="sm" c="dimmed">
          {lacks}
        </Text>
      )}
      {tried.startable && !running && (
        <Text size="sm" c="dimmed">
          {startText('SLEEPING', tried.startSeconds)}
        </Text>
      )}
    </Stack>
  );
}

/** Starts an instance without a call. Whoever may test the service may do it, not only its owner. */
function Start({ tried: { account, model } }: { tried: Tried }) {
  const { t } = useTranslation('Playground');
  const [start, { isLoading, isSuccess }] = coreApi.useCoreStartSingleInstanceMutation();
  const refused = useProblemToast();
  const begin = async () => {
    const { error } = await start({ account, model });
    if (!refused(t('notStarted'), error)) toastDone(t('starting'));
  };
  return (
    <Button
      variant="default"
      leftSection={<IconPower size={16} aria-hidden />}
      loading={isLoading}
      disabled={isSuccess}
      onClick={() => void begin()}
    >
      {t('startNow')}
    </Button>
  );
}
