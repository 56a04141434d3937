import { useTranslation } from 'react-i18next';

import { formatRoughDuration } from './format/time';

/** What the service's state means for a call now, to show beside the word of the state; empty if that says it all. */
export function useStartText(): (state: string, startSeconds: number | null) => string {
  const { t } = useTranslation('Starting');
  return (state, startSeconds) => {
    if (state === 'RUNNING') return t('atOnce');
    if (startSeconds === null) return state === 'SLEEPING' ? t('SLEEPING.soon') : '';
    const starting = state === 'STARTING' || state === 'SCHEDULED';
    return t(starting ? 'STARTING.in' : state === 'SLEEPING' ? 'SLEEPING.in' : 'startsIn', { time: formatRoughDuration(startSeconds) });
  };
}
