import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import { ProblemView } from '@/components/feedback/ProblemView';

const POLL_MS = 10_000;

/** What autoscaling sees now and why the number is as it is, in one line. */
export function ScalingNow(where: { account: string; model: string }) {
  const { t } = useTranslation('Monitoring');
  const { data, error, refetch } = coreApi.useCoreGetScalingStateQuery(where, {
    pollingInterval: POLL_MS,
    skipPollingIfUnfocused: true,
  });
  const problem = asProblem(error);
  if (problem && !data) return <ProblemView problem={problem} again={() => void refetch()} />;
  if (!data) return <span />;
  const { requested, connected, minInstances, maxInstances, reason, trouble } = data;
  return (
    <Text size="sm" component="output">
      {t('now', { requested, connected, minInstances, maxInstances })} {t(`reason.${trouble ?? reason}`, reason)}
    </Text>
  );
}
