import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { CallStatisticsData } from '@/api/generated/core.gen';
import { formatNumber } from '@/lib/format/number';
import { formatDuration } from '@/lib/format/time';

import classes from './ModelCard.module.css';
import { formatRate } from './statistics';

/** How fast and how reliable the service was lately. What is unknown is absent. */
export function CardFacts({ statistics }: { statistics: CallStatisticsData | null }) {
  const { t } = useTranslation('Catalog');
  if (!statistics) return null;
  const { medianLatencyMs, successRate, calls, days } = statistics;
  return (
    <div className={classes.facts}>
      {medianLatencyMs !== null && (
        <Text size="xs" c="dimmed" title={t('medianHint', { count: days })}>
          {t('median', { time: formatDuration(medianLatencyMs / 1000) })}
        </Text>
      )}
      <Text size="xs" c="dimmed" title={t('successHint', { count: days })}>
        {t('success', { rate: formatRate(successRate) })}
      </Text>
      <Text size="xs" c="dimmed" title={t('callsHint', { count: days })}>
        {t('callsCount', { count: calls, shown: formatNumber(calls) })}
      </Text>
    </div>
  );
}
