import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import { StartBar } from '@/components/StartBar';
import { START_POLL } from '@/lib/polls';

interface Props {
  account: string;
  model: string;
  /** The platform starts it, because it is called. */
  startable: boolean;
}

/** Beside a call to a service that did not run when the call began: how far its start is. */
export function Waking({ account, model, startable }: Props) {
  const { t } = useTranslation('Starting');
  const { t: playground } = useTranslation('Playground');
  const { data } = coreApi.useCoreGetModelInfoQuery(
    { account, model },
    { ...START_POLL, refetchOnMountOrArgChange: true },
  );
  if (data?.start) return <StartBar start={data.start} />;
  const wakes = startable && data?.state !== 'RUNNING';
  return <Text c="dimmed">{wakes ? t('waking') : playground('running')}</Text>;
}
